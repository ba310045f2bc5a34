"""Where this installation's personas are."""

from collections.abc import Sequence
from pathlib import Path

from palabre.adapters.personas.toml_library import TomlPersonaLibrary
from palabre.app.settings import Settings


def library_for(settings: Settings, files: Sequence[Path] = ()) -> TomlPersonaLibrary:
    """Return the personas that come along and those of this installation, which win.

    The latter are in `personas.dir`, or `<data dir>/personas`. A `topics.toml` in the data dir
    replaces the topic rules that come along; it is looked for now, not at each load.

    Args:
        settings: Where to look.
        files: Persona files from elsewhere, which win over both.
    """
    own_topics = settings.data_dir / "topics.toml"
    topics = own_topics if own_topics.is_file() else settings.content_dir / "topics.toml"
    own = settings.personas.dir or settings.data_dir / "personas"
    return TomlPersonaLibrary([settings.content_dir / "personas", own], topics, files)
