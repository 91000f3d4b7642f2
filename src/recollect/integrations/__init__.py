"""Other programs: the formats of their transcripts, one file for each.

A format reads one record at a time and knows nothing of storage; `recollect.sessions.importer`
does the rest. `import_transcripts` and `export_session` put both together for a `Memory`.
"""

from recollect.integrations.formats import FORMATS
from recollect.integrations.transcripts import export_session, import_transcripts

__all__ = ["FORMATS", "export_session", "import_transcripts"]
