"""Names of contents of media, which are made of their ids."""

import re

MEDIA_FILE = re.compile(r"(?P<id>(?P<ms>[0-9]{1,16})-[0-9a-f]{8})\.(?P<extension>[a-z0-9]{2,5})")
"""Of a content, and of the metadata beside it, whose extension is `json`."""


def id_of(file_name: str) -> str | None:
    """Return the id in the name of a content; None if it is the name of none."""
    match = MEDIA_FILE.fullmatch(file_name)
    return match["id"] if match and match["extension"] != "json" else None
