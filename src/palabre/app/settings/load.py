"""Load all settings: search, merge, check."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path
from pydantic import ValidationError

from palabre.app.settings.aliases import CONFIG_VARIABLE
from palabre.app.settings.environment import environment_layer, process_environment
from palabre.app.settings.errors import Problem, SettingsError
from palabre.app.settings.keys import keys_of
from palabre.app.settings.layers import (
    KeyPath,
    Keys,
    Layer,
    Origin,
    cli_layer,
    expanded,
    file_layer,
)
from palabre.app.settings.mistakes import mistakes
from palabre.app.settings.settings import Settings
from palabre.app.settings.start import start_problems
from palabre.texts import LANGUAGES, Language

FILE_NAME = "palabre.toml"
KEYS = Keys(tuple(keys_of(Settings)))


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings and where they come from.

    Attributes:
        settings: The values.
        origins: Where each key that was set stands; the others have their default.
        file: The file that was read; None if there was none.
        unused: Variables that are set and known, but not used by this version yet.
    """

    settings: Settings
    origins: Mapping[KeyPath, Origin]
    file: Path | None
    unused: tuple[str, ...]

    def origin(self, path: KeyPath) -> Origin:
        """Return where the key *path* was set."""
        return self.origins.get(path, Origin())

    def check_start(self) -> None:
        """Refuse to serve with settings that are valid but not safe, or not possible yet.

        Raises:
            SettingsError: It must not start like this.
        """
        problems = start_problems(self.settings, self.origins)
        if problems:
            raise SettingsError(problems, self.settings.language)


def load_settings(
    *,
    cli: Mapping[str, object] | None = None,
    config: Path | None = None,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> LoadedSettings:
    """Read file, environment and command line, and check all of it.

    Args:
        cli: Values of options by the dotted name of their key; None was not given.
        config: The file, from `--config`; None searches for one.
        environ: Variables; None takes those of this process.
        cwd: Where relative paths of options and variables start; None is here.

    Raises:
        SettingsError: Something is wrong; it names everything that is.
    """
    here = (cwd or Path()).absolute()
    variables = process_environment() if environ is None else environ
    file = search_file(config, variables, here)
    layers = (
        cli_layer(cli or {}, KEYS, here),
        environment_layer(variables, KEYS, here),
        file_layer(file, KEYS),
    )
    origins: dict[KeyPath, Origin] = {}
    for layer in reversed(layers):
        origins |= layer.origins
    unused = tuple(name for layer in layers for name in layer.unused)
    return LoadedSettings(_checked(layers, origins), origins, file, unused)


def search_file(config: Path | None, environ: Mapping[str, str], cwd: Path) -> Path | None:
    """Return the settings file: `--config`, PALABRE_CONFIG, here, the user's config dir."""
    named = config or (Path(environ[CONFIG_VARIABLE]) if environ.get(CONFIG_VARIABLE) else None)
    if named is not None:
        return expanded(named, cwd)
    places = (cwd / FILE_NAME, user_config_path("palabre", appauthor=False) / FILE_NAME)
    return next((place for place in places if place.is_file()), None)


def _checked(layers: tuple[Layer, ...], origins: Mapping[KeyPath, Origin]) -> Settings:
    problems: list[Problem] = [problem for layer in layers for problem in layer.problems]
    values: dict[str, Any] = {"layers": layers}
    try:
        settings = Settings(**values)
    except ValidationError as error:
        problems += mistakes(error, Settings, KEYS, origins)
        raise SettingsError(tuple(problems), _language(layers)) from None
    if problems:
        raise SettingsError(tuple(problems), settings.language)
    return settings


def _language(layers: tuple[Layer, ...]) -> Language:
    asked = (layer.values.get(("language",)) for layer in layers)
    return next((known for value in asked for known in LANGUAGES if known == value), "fr")
