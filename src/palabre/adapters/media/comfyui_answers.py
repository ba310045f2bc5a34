"""What ComfyUI answers, read tolerantly: its routes are not documented and change."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from palabre.core.media.errors import GenerationInterruptedError, NoPictureError
from palabre.core.models.errors import OddAnswerError
from palabre.core.web.model import Fetched
from palabre.kernel.errors import UpstreamError
from palabre.kernel.visible import one_line

SERVICE = "ComfyUI"
MAX_DETAIL_CHARS = 300

T = TypeVar("T")


class _Problem(msgspec.Struct):
    message: str = ""
    details: str = ""


class _NodeErrors(msgspec.Struct):
    errors: list[_Problem] = []
    class_type: str = ""


class _Refusal(msgspec.Struct):
    error: _Problem | str = ""
    node_errors: dict[str, _NodeErrors] | list[object] = {}


class _Accepted(msgspec.Struct):
    prompt_id: str


class _Image(msgspec.Struct):
    filename: str
    subfolder: str = ""
    type: str = "output"


class _Output(msgspec.Struct):
    images: list[_Image] = []


class _Status(msgspec.Struct):
    status_str: str = ""
    messages: list[tuple[str, dict[str, object]]] = []


class _Entry(msgspec.Struct):
    outputs: dict[str, _Output] = {}
    status: _Status | None = None


class _Queue(msgspec.Struct):
    queue_running: list[list[object]] = []


class _NodeInfo(msgspec.Struct):
    input: dict[str, dict[str, list[object]]]


class _Event(msgspec.Struct):
    type: str = ""
    data: dict[str, object] = {}


@dataclass(frozen=True, slots=True)
class Heard:
    """What a message of the WebSocket says of one prompt.

    Attributes:
        percent: Of the sampler's steps; None if it says nothing of them.
        is_over: Whether the history has the result now.
    """

    percent: int | None = None
    is_over: bool = False


def accepted_id(answer: Fetched) -> str:
    """Return the prompt's id from the answer of `POST /prompt`.

    Raises:
        UpstreamError: The workflow is refused, and why.
    """
    if answer.status >= 400:  # noqa: PLR2004  (HTTP)
        raise UpstreamError(detail=_refusal(answer))
    return read(answer, _Accepted).prompt_id


def checkpoints(answer: Fetched) -> list[str]:
    """Return the checkpoints that `/object_info/CheckpointLoaderSimple` names."""
    known = read(answer, dict[str, _NodeInfo]).get("CheckpointLoaderSimple")
    if known is None:
        return []
    choice = known.input.get("required", {}).get("ckpt_name", [])
    names = choice[0] if choice else []
    if names == "COMBO" and len(choice) > 1 and isinstance(choice[1], dict):
        names = choice[1].get("options", [])  # as newer versions write it
    return [each for each in names if isinstance(each, str)] if isinstance(names, list) else []


def picture_address(answer: Fetched, prompt_id: str) -> str | None:
    """Return where the picture is, as the path and query of `/view`; None while it is made.

    Raises:
        GenerationInterruptedError: Somebody stopped it.
        NoPictureError: It is done, and there is none.
        UpstreamError: It failed, and why.
    """
    entry = read(answer, dict[str, _Entry]).get(prompt_id)
    if entry is None:
        return None
    if entry.status is not None and entry.status.status_str == "error":
        raise _failure(entry.status)
    images = [image for output in entry.outputs.values() for image in output.images]
    if not images:
        raise NoPictureError(service=SERVICE)
    best = next((each for each in images if each.type == "output"), images[0])
    asked = {"filename": best.filename, "subfolder": best.subfolder, "type": best.type}
    return f"/view?{urlencode(asked)}"


def is_running(answer: Fetched, prompt_id: str) -> bool:
    """Say whether `/queue` tells that this prompt runs."""
    return any(prompt_id in row for row in read(answer, _Queue).queue_running)


def heard(message: str | bytes, prompt_id: str) -> Heard:
    """Return what *message* says of the prompt; binary ones are previews."""
    try:
        event = msgspec.json.decode(message, type=_Event)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return Heard()
    data = event.data
    if data.get("prompt_id", prompt_id) != prompt_id:
        return Heard()
    if event.type == "progress":
        return Heard(_percent(data.get("value"), data.get("max")))
    is_end = event.type == "executing" and data.get("node") is None and "prompt_id" in data
    return Heard(is_over=is_end or event.type in _ENDS)


_ENDS = frozenset({"execution_success", "execution_error", "execution_interrupted"})


def read(answer: Fetched, kind: type[T]) -> T:
    """Return the body of *answer* as *kind*.

    Raises:
        UpstreamError: It is an error, or something else.
    """
    if answer.status >= 400:  # noqa: PLR2004  (HTTP)
        raise UpstreamError(detail=f"HTTP {answer.status}")
    try:
        return msgspec.json.decode(answer.body, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        detail = one_line(str(error), MAX_DETAIL_CHARS)
        raise OddAnswerError(service=SERVICE, detail=detail) from error


def _percent(value: object, most: object) -> int | None:
    if not isinstance(value, int | float) or not isinstance(most, int | float) or most <= 0:
        return None
    return max(0, min(100, int(value * 100 / most)))


def _refusal(answer: Fetched) -> str:
    try:
        refusal = msgspec.json.decode(answer.body, type=_Refusal)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return f"HTTP {answer.status}"
    return one_line("; ".join(_words(refusal)), MAX_DETAIL_CHARS) or f"HTTP {answer.status}"


def _words(refusal: _Refusal) -> Iterator[str]:
    if isinstance(refusal.node_errors, dict):
        for node in refusal.node_errors.values():
            for each in node.errors:
                yield f"{node.class_type}: {_both(each)}"
    error = refusal.error
    yield error if isinstance(error, str) else _both(error)


def _both(problem: _Problem) -> str:
    parts = dict.fromkeys(part for part in (problem.message, problem.details) if part)
    return ": ".join(parts)


def _failure(status: _Status) -> UpstreamError:
    for event, data in status.messages:
        if event == "execution_interrupted":
            return GenerationInterruptedError(service=SERVICE)
        if event == "execution_error":
            words = f"{data.get('node_type', '')}: {data.get('exception_message', '')}"
            return UpstreamError(detail=one_line(words, MAX_DETAIL_CHARS))
    return UpstreamError(detail=status.status_str)
