"""What is told of a failure, and in whose words."""

import pytest

from palabre.core.models.errors import (
    NoModelError,
    OddAnswerError,
    UnreachableServerError,
    WeightsError,
    reason_of,
)
from palabre.kernel.errors import UpstreamError
from palabre.kernel.text import verbatim
from palabre.texts import say


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (UpstreamError(detail="boom"), "boom"),
        (
            UnreachableServerError(service="Ollama", detail="refused"),
            "Ollama ne répond pas (refused)",
        ),
        (
            OddAnswerError(service="vllm", detail="x"),
            "vllm a envoyé ce qui ne peut pas être lu (x)",
        ),
    ],
)
def test_a_server_is_quoted_and_what_we_saw_ourselves_is_said(
    error: UpstreamError, told: str
) -> None:
    assert say(reason_of(error)) == told


def test_every_reason_is_said_in_the_readers_language() -> None:
    down = UnreachableServerError(service="Ollama", detail="refused").text
    error = NoModelError([down, verbatim("b"), verbatim("c")], service="Ollama")
    assert "(Ollama does not answer (refused); b; c)" in say(error.text, "en")
    assert "(Ollama ne répond pas (refused) ; b ; c)" in say(error.text, "fr")


def test_one_reason_stands_alone() -> None:
    assert ": full. " in say(WeightsError([verbatim("full")], name="tiny").text, "en")
