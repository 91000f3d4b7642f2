"""Settings: one typed tree, and how defaults, file, environment and arguments make it.

`tree` holds the values and what each option means, `options` lists them for people, `sources`
reads `config.yaml` and the environment, `resolve` puts the layers together, `places` finds folders.
Only this package reads the environment.
"""

from recollect.core.settings.agents import agent_name, known_agent
from recollect.core.settings.channels import ChannelSettings, TelegramSettings, WebhookSettings
from recollect.core.settings.checkpoints import CheckpointSettings
from recollect.core.settings.embedding import EmbeddingSettings, RemoteSettings
from recollect.core.settings.environment import (
    agent_environment,
    claude_mem_database,
    client_folders,
    default_home,
    is_inside,
    locale_languages,
    matches,
    models_folder,
    openclaw_config,
    openclaw_mem_settings,
    program_path,
    shell_command,
    surroundings,
    temporary_files_in,
    transcript_folders,
    user_path,
)
from recollect.core.settings.options import Option, list_options
from recollect.core.settings.resolve import Explained, ResolvedSettings, load_settings
from recollect.core.settings.search import (
    HybridSettings,
    RankingSettings,
    RecencySettings,
    SearchSettings,
    VectorSettings,
)
from recollect.core.settings.server import HookSettings, ServerSettings, WorkerSettings
from recollect.core.settings.sessions import SessionSettings
from recollect.core.settings.telemetry import forbid_telemetry
from recollect.core.settings.tree import (
    CaptureSettings,
    ChunkingSettings,
    InjectionSettings,
    LanguageSettings,
    PrivacySettings,
    QmdSettings,
    RecordLimits,
    Settings,
    StoreSettings,
    SyncSettings,
    TranscriptDeltaSettings,
    WorkspaceSettings,
)

__all__ = [
    "CaptureSettings",
    "ChannelSettings",
    "CheckpointSettings",
    "ChunkingSettings",
    "EmbeddingSettings",
    "Explained",
    "HookSettings",
    "HybridSettings",
    "InjectionSettings",
    "LanguageSettings",
    "Option",
    "PrivacySettings",
    "QmdSettings",
    "RankingSettings",
    "RecencySettings",
    "RecordLimits",
    "RemoteSettings",
    "ResolvedSettings",
    "SearchSettings",
    "ServerSettings",
    "SessionSettings",
    "Settings",
    "StoreSettings",
    "SyncSettings",
    "TelegramSettings",
    "TranscriptDeltaSettings",
    "VectorSettings",
    "WebhookSettings",
    "WorkerSettings",
    "WorkspaceSettings",
    "agent_environment",
    "agent_name",
    "claude_mem_database",
    "client_folders",
    "default_home",
    "forbid_telemetry",
    "is_inside",
    "known_agent",
    "list_options",
    "load_settings",
    "locale_languages",
    "matches",
    "models_folder",
    "openclaw_config",
    "openclaw_mem_settings",
    "program_path",
    "shell_command",
    "surroundings",
    "temporary_files_in",
    "transcript_folders",
    "user_path",
]
