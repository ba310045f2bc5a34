"""All settings, as one frozen value."""

from importlib.resources import files
from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import Field
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from palabre.app.settings.api import ApiSettings
from palabre.app.settings.context import ContextSettings
from palabre.app.settings.editorial import EditorialSettings
from palabre.app.settings.knowledge import KnowledgeSettings
from palabre.app.settings.layers import LayerSource
from palabre.app.settings.media import MediaSettings
from palabre.app.settings.memory import MemorySettings
from palabre.app.settings.sections import (
    AuthSettings,
    LogsSettings,
    ModelsSettings,
    PersonasSettings,
    RoomsSettings,
    ServerSettings,
    StorageSettings,
)
from palabre.app.settings.speech import SpeechSettings
from palabre.app.settings.tools import ToolsSettings
from palabre.app.settings.uploads import UploadsSettings
from palabre.app.settings.values import UserPath
from palabre.app.settings.web import WebSettings
from palabre.texts import Language


class Settings(BaseSettings):
    """Everything that can be set. `Settings()` holds the defaults and reads nothing."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid")

    environment: Literal["development", "production"] = Field(
        default="development",
        description="`production` demands `storage.database_url`, and refuses to start without.",
    )
    language: Language = Field(
        default="fr", description="Language of people whose own is not known."
    )
    data_dir: UserPath = Field(
        default_factory=lambda: user_data_path("palabre", appauthor=False),
        description="What was said, and everything else that must last.",
    )
    cache_dir: UserPath = Field(
        default_factory=lambda: user_cache_path("palabre", appauthor=False),
        description="Weights and what else can be fetched again.",
    )
    server: ServerSettings = ServerSettings()
    auth: AuthSettings = AuthSettings()
    api: ApiSettings = ApiSettings()
    rooms: RoomsSettings = RoomsSettings()
    models: ModelsSettings = ModelsSettings()
    personas: PersonasSettings = PersonasSettings()
    uploads: UploadsSettings = UploadsSettings()
    context: ContextSettings = ContextSettings()
    memory: MemorySettings = MemorySettings()
    knowledge: KnowledgeSettings = KnowledgeSettings()
    web: WebSettings = WebSettings()
    tools: ToolsSettings = ToolsSettings()
    editorial: EditorialSettings = EditorialSettings()
    storage: StorageSettings = StorageSettings()
    speech: SpeechSettings = SpeechSettings()
    media: MediaSettings = MediaSettings()
    logs: LogsSettings = LogsSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - see below
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Merge `layers`, best first: pydantic's own sources forget where a value stood."""
        assert isinstance(init_settings, InitSettingsSource)
        layers = init_settings.init_kwargs.get("layers")
        if layers is None:
            return (init_settings,)
        return tuple(LayerSource(settings_cls, layer) for layer in layers)

    @property
    def content_dir(self) -> Path:
        """The personas and model lists that come along, installed or in a checkout."""
        packaged = Path(str(files("palabre"))) / "content"
        return packaged if packaged.is_dir() else Path(__file__).parents[4] / "content"

    def create_data_dir(self) -> Path:
        """Make `data_dir`, for its owner alone, unless it is there.

        Raises:
            OSError: It cannot be made.
        """
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self.data_dir
