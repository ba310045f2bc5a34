"""Settings: `palabre.toml` < environment < command line, each value with its origin.

`environment` is the one module that reads the environment.
"""

from palabre.app.settings.errors import Problem, SettingsError
from palabre.app.settings.layers import Origin
from palabre.app.settings.load import LoadedSettings, load_settings
from palabre.app.settings.settings import Settings

__all__ = [
    "LoadedSettings",
    "Origin",
    "Problem",
    "Settings",
    "SettingsError",
    "load_settings",
]
