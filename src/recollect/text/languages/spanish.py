"""Spanish: what is known of it."""

from __future__ import annotations

from recollect.text.languages.language import (
    DECIDED,
    DESIGNED,
    FAILED,
    FIXED,
    LASTING,
    OPEN,
    Language,
)

LANGUAGE = Language(
    code="es",
    stop_words="""
        el la los las un una unos unas de del al y o que en es por con para se no lo le su sus
        mi mis tu tus yo ella ellos nosotros esto esta este eso esa ese está están son fue era
        ser estar hay como cuando donde dónde qué quién cuál cuándo cómo pero más muy ya también
        sobre entre sin hasta
    """,
    statements={
        LASTING: (
            r"recuerda|no olvides|importante|debe|debes|debemos|deben|nunca|siempre"
            r"|a partir de ahora|prefier\w+|fecha límite|plazo|cumpleaños|alérgic\w|me llamo"
            r"|mi nombre|vivo en|trabajo en"
        ),
        DECIDED: r"decidi\w+|decisión|acordamos|acordado|elegimos",
        OPEN: r"pendiente|próximos? pasos?",
        FAILED: r"errores|fallo|falló",
        FIXED: r"(?<!-)(?:corrige\w*|arregl\w+)",
        DESIGNED: r"arquitectura",
    },
)
