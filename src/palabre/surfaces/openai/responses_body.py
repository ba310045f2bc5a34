"""What `POST /v1/responses` is asked, as a dialogue."""

from typing import Annotated, Any

from pydantic import Field

from palabre.kernel.text import text
from palabre.surfaces.http.numbers import WHOLE
from palabre.surfaces.openai.dialogue import MAX_TEXT_CHARS, Message
from palabre.surfaces.openai.errors import ParameterInvalidError, ParameterUnsupportedError
from palabre.surfaces.openai.json_body import Body, Harmless, Name

REFUSED: Harmless = {
    "previous_response_id": (),
    "conversation": (),
    "background": (False,),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "prompt": (),
    "text": ({}, {"format": {"type": "text"}}),
    "top_logprobs": (0,),
    "include": ([],),
    "image": (),
    "moderation": (),
    "context_management": ([],),
}
"""Nothing is kept, so there is no earlier response to go on from."""

MAX_ITEMS = 500

MetadataKey = Annotated[str, Field(max_length=64)]
MetadataValue = Annotated[str, Field(max_length=512)]
Metadata = Annotated[dict[MetadataKey, MetadataValue], Field(max_length=16)]
"""As the protocol says: it is given back with each event of a stream."""


class ResponsesBody(Body):
    """What is asked."""

    model: Name
    input: (
        Annotated[str, Field(max_length=MAX_TEXT_CHARS)]
        | Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MAX_ITEMS)]
    )
    instructions: Annotated[str, Field(max_length=MAX_TEXT_CHARS)] | None = None
    max_output_tokens: Annotated[int, Field(strict=True, ge=1), WHOLE] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    stream: bool | None = None
    metadata: Metadata | None = None

    def messages(self) -> list[Message]:
        """Return the input as messages.

        Raises:
            ParameterUnsupportedError: An item is something else, such as the call of a tool.
            ParameterInvalidError: An item is no message.
        """
        if isinstance(self.input, str):
            return [Message(role="user", content=self.input)]
        return [_message(item, f"input.{place}") for place, item in enumerate(self.input)]


def _message(item: dict[str, Any], param: str) -> Message:
    if item.get("type", "message") != "message":
        raise ParameterUnsupportedError(param=f"{param}.type")
    try:
        return Message.model_validate(item)
    except ValueError:
        raise ParameterInvalidError(param, text("api.value.message")) from None
