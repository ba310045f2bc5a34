"""What the name of a machine may look like."""

import re
from ipaddress import ip_address
from unicodedata import normalize

MAX_NAME_LENGTH = 253
_LABEL = re.compile(r"(?!-)[\w-]+(?<!-)")


def is_host(name: str) -> bool:
    """Whether *name* is an IP address, without brackets, or can be the name of a machine."""
    try:
        ip_address(name)
    except ValueError:
        return _is_name(name.removesuffix("."))
    return True


def is_loopback(name: str) -> bool:
    """Whether *name*, with or without brackets, is this machine and no other."""
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def _is_name(name: str) -> bool:
    try:
        ascii_name = name.encode("idna")
    except UnicodeError:  # an empty label, or one that is too long
        return False
    # What looks like ASCII without being it would be another name to whoever resolves it.
    usual = normalize("NFKC", name) == name
    labels = name.split(".")
    return usual and len(ascii_name) <= MAX_NAME_LENGTH and all(map(_LABEL.fullmatch, labels))
