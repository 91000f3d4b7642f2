"""Takes secrets out of texts before they are stored, and leaves a visible mark.

Finds `<private>` blocks and private keys (`blocks`), credentials of known shapes (`credentials`),
passwords in URLs, headers and Base64 (`carriers`), and values after telling names (`keyed`); then
those values again, wherever else they occur (`recognised`). A mark is `[redacted:kind:hash]`; equal
secrets have equal hashes within one home, so that they can be linked, not looked up. Knows nothing
of settings or storage.
"""

from recollect.text.redaction.recognised import Recognised
from recollect.text.redaction.redactor import MAX_DEPTH, Redacted, Redactor, SecretSpan, redact

__all__ = ["MAX_DEPTH", "Recognised", "Redacted", "Redactor", "SecretSpan", "redact"]
