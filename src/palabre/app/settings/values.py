"""Types of single settings, and how they are read from text."""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError


def _split(value: object) -> object:
    """Read `a, b` as a list: variables have no other way to hold one."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


def _web_address(value: str) -> str:
    """Return *value* without its last slash."""
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise PydanticCustomError("web_address", "must look like http://host:port")
    return value.rstrip("/")


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


Names = Annotated[tuple[str, ...], BeforeValidator(_split)]
WebAddress = Annotated[str, AfterValidator(_web_address)]
OptionalWebAddress = Annotated[str, AfterValidator(_web_address_or_nothing)]
Origins = Annotated[tuple[Annotated[str, AfterValidator(_origin)], ...], BeforeValidator(_split)]
Networks = Annotated[tuple[Annotated[str, AfterValidator(_network)], ...], BeforeValidator(_split)]
UserPath = Annotated[Path, AfterValidator(Path.expanduser)]
