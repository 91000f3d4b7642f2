"""Settings: one typed tree, and how defaults, file, environment and arguments make it.

`tree` holds the values and what each option means, `options` lists them for people, `sources`
reads `config.yaml` and the environment, `resolve` puts the layers together, `places` finds folders.
Only this package reads the environment.
"""

from recollect.core.settings.options import Option, list_options
from recollect.core.settings.places import default_home, models_folder
from recollect.core.settings.resolve import Explained, ResolvedSettings, load_settings
from recollect.core.settings.tree import (
    ChunkingSettings,
    EmbeddingSettings,
    PrivacySettings,
    RankingSettings,
    SearchSettings,
    SessionSettings,
    Settings,
    StoreSettings,
    WorkspaceSettings,
)

__all__ = [
    "ChunkingSettings",
    "EmbeddingSettings",
    "Explained",
    "Option",
    "PrivacySettings",
    "RankingSettings",
    "ResolvedSettings",
    "SearchSettings",
    "SessionSettings",
    "Settings",
    "StoreSettings",
    "WorkspaceSettings",
    "default_home",
    "list_options",
    "load_settings",
    "models_folder",
]
