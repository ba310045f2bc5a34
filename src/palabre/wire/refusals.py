"""What servers say when they refuse: OpenAI's shape of an error, and those of its neighbours."""

import msgspec


class _Refusal(msgspec.Struct):
    error: object = None
    message: object = None
    detail: object = None


def words_in(body: bytes) -> str:
    """Return what a refusal's JSON *body* says, empty if it is none of the known shapes."""
    try:
        told = msgspec.json.decode(body, type=_Refusal)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ""
    return words_of(told.error) or words_of(told.message) or words_of(told.detail)


def words_of(error: object) -> str:
    """Return the message of an error that is a string or an object with a `message`."""
    if isinstance(error, dict):
        error = error.get("message")
    return error.strip() if isinstance(error, str) else ""
