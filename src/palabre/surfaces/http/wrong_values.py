"""Say in the reader's language why a value is wrong, as pydantic found it."""

from pydantic_core import ErrorDetails

from palabre.kernel.text import Text, text

_KINDS = {
    "string": ("string_type", "string_unicode"),
    "list": ("list_type",),
    "object": ("dict_type", "model_type", "model_attributes_type"),
    "whole": ("int_type", "int_parsing", "int_from_float", "int_parsing_size"),
    "number": ("float_type", "float_parsing", "finite_number"),
    "bool": ("bool_type", "bool_parsing"),
}
_KIND_OF = {found: kind for kind, all_found in _KINDS.items() for found in all_found}

_LIMITS = {
    "string_too_short": ("chars_least", "min_length"),
    "string_too_long": ("chars_most", "max_length"),
    "too_short": ("items_least", "min_length"),
    "too_long": ("items_most", "max_length"),
    "greater_than": ("more", "gt"),
    "greater_than_equal": ("least", "ge"),
    "less_than": ("less", "lt"),
    "less_than_equal": ("most", "le"),
    "literal_error": ("one_of", "expected"),
    "enum": ("one_of", "expected"),
    "string_pattern_mismatch": ("pattern", "pattern"),
}
_OTHERS = {"missing": "missing", "extra_forbidden": "unknown"}


def why_wrong(wrong: ErrorDetails) -> Text:
    """Return what *wrong* says of a value, with its limit; the value is not repeated."""
    found, about = wrong["type"], wrong.get("ctx", {})
    if found in _KIND_OF:
        return text("wrong_value.kind", kind=text(f"wrong_value.kinds.{_KIND_OF[found]}"))
    if found in _LIMITS:
        name, bound = _LIMITS[found]
        return text(f"wrong_value.{name}", limit=_told(about[bound]))
    return text(f"wrong_value.{_OTHERS.get(found, 'other')}")


def _told(limit: str | float) -> str | int | float:
    return limit.replace(" or ", ", ") if isinstance(limit, str) else limit
