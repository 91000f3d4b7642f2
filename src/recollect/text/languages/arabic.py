"""The data of Arabic."""

from __future__ import annotations

from recollect.text.languages.language import (
    Language,
)

LANGUAGE = Language(
    code="ar",
    stop_words="""
        من في على إلى عن مع هو هي هم أنا نحن أنت هذا هذه ذلك تلك التي الذي كان كانت يكون ما ماذا
        متى أين كيف لماذا هل لا لم لن قد أو و ثم أن إن كل بعض
    """,
)
