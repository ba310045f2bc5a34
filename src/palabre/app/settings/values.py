"""Types of single settings, and how they are read from text."""

import os
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError

from palabre.kernel.hosts import is_host

_MAX_PART_BYTES = 255
_MAX_PATH_BYTES = 4000  # what Linux takes, less the names of our own files


def _split(value: object) -> object:
    """Read `a, b` as a list: variables have no other way to hold one."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _web_address(value: str) -> str:
    """Return *value* without its last slash."""
    if not _is_web_address(value):
        raise PydanticCustomError("web_address", "must look like http://host:port")
    return value.rstrip("/")


def _is_web_address(value: str) -> bool:
    try:
        parts = urlsplit(value)
        has_port = parts.port != 0
    except ValueError:
        return False
    is_clean = value.isprintable() and " " not in value
    known = parts.scheme in {"http", "https"}
    return is_clean and known and has_port and is_host(parts.hostname or "")


def _web_address_or_nothing(value: str) -> str:
    return _web_address(value) if value else value


def _origin(value: str) -> str:
    """Return a page's origin as browsers write it."""
    address = _web_address(value)
    if urlsplit(address).path or urlsplit(address).query:
        raise PydanticCustomError("web_origin", "must be scheme://host:port without a path")
    return address.lower()


def _network(value: str) -> str:
    """Return an address or network in its usual form."""
    try:
        return str(ip_network(value, strict=False))
    except ValueError:
        raise PydanticCustomError("network", "must look like 10.0.0.0/8") from None


def _user_path(value: Path) -> Path:
    """Return *value* with its `~` filled in, if the system can take it as a path."""
    try:
        path = value.expanduser()
    except RuntimeError:
        raise PydanticCustomError("path", "there is no such user") from None
    if "\0" in str(path):
        raise PydanticCustomError("path", "no path holds a NUL character")
    if any(len(os.fsencode(part)) > _MAX_PART_BYTES for part in path.parts):
        raise PydanticCustomError("path", "a name in it is longer than 255 bytes")
    if len(os.fsencode(path)) > _MAX_PATH_BYTES:
        raise PydanticCustomError("path", "it is longer than 4000 bytes")
    return path


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
OptionalWebAddress = Annotated[str, AfterValidator(_web_address_or_nothing)]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], BeforeValidator(_split)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], BeforeValidator(_split)]
UserPath = Annotated[Path, AfterValidator(_user_path)]
