"""What users read, as data: a code and its values. The words are in `palabre.texts`."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Text:
    """One text to say, in whatever language the reader has.

    Attributes:
        code: Dotted key of the text files, such as `nick.taken`.
        data: Values of the text's placeholders. A `Text` inside is said in the same language;
            a tuple of them becomes one line each.
    """

    code: str
    data: "Mapping[str, str | int | float | Text | tuple[Text, ...]]" = field(default_factory=dict)


def text(code: str, **data: "str | int | float | Text | tuple[Text, ...]") -> Text:
    """Return the text *code* with *data* for its placeholders."""
    return Text(code, data)


def verbatim(words: str) -> Text:
    """Return *words* as a text that is the same in every language."""
    return Text("verbatim", {"words": words})
