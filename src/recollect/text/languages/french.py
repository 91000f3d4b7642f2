"""French: what is known of it."""

from __future__ import annotations

from recollect.text.languages.language import (
    DECIDED,
    FAILED,
    FIXED,
    LASTING,
    OPEN,
    Language,
)

LANGUAGE = Language(
    code="fr",
    statements={
        LASTING: (
            r"souviens-toi|rappelle-toi|n['’]oublie[zs]? pas|importante?s?|doi[ts]|devons|jamais"
            r"|toujours|désormais|préfère|échéance|date limite|anniversaire|allergique"
            r"|je m['’]appelle|mon nom|j['’]habite|je travaille"
        ),
        DECIDED: r"décidé\w*|décision|convenu|choisi",
        OPEN: r"à faire|en attente",
        FAILED: r"erreurs?|échec|échoué",
        FIXED: r"(?<!-)corrig[ée]\w*",
    },
)
