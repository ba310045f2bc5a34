"""Programs ask personas in the newer protocol: `/v1/responses`."""

import openai
import pytest
from tests.support.programs import program

from palabre.kernel.errors import UpstreamError
from palabre.testing.models import Answer


async def test_a_response_is_given_whole() -> None:
    async with program("Salut.") as asked:
        told = await asked.client.responses.create(
            model="schaeffer", input="Bonjour", instructions="Sois bref.", max_output_tokens=40
        )
        assert (told.output_text, told.status) == ("Salut.", "completed")
        assert told.usage.total_tokens == told.usage.input_tokens + told.usage.output_tokens
        [request] = asked.provider.requests
        assert "Sois bref." in request.messages[0].content
        assert request.max_tokens == 40


async def test_a_response_takes_items() -> None:
    async with program("Salut.") as asked:
        await asked.client.responses.create(
            model="schaeffer",
            input=[
                {"role": "developer", "content": "En vers."},
                {"role": "user", "content": "Bonjour"},
                {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "Oui ?"}],
                },
                {"role": "user", "content": [{"type": "input_text", "text": "Qui es-tu ?"}]},
            ],
        )
        [request] = asked.provider.requests
        assert [each.content for each in request.messages[1:]] == [
            "Bonjour",
            "Oui ?",
            "Qui es-tu ?",
        ]
        assert "En vers." in request.messages[0].content


async def test_a_response_streams_its_events_in_their_order() -> None:
    async with program(Answer(("Sa", "lut."))) as asked:
        async with asked.client.responses.stream(model="schaeffer", input="Bonjour") as stream:
            events = [event async for event in stream]
            final = await stream.get_final_response()
        assert [each.type for each in events] == [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
        assert [each.sequence_number for each in events] == list(range(10))
        assert final.output_text == "Salut."


async def test_a_response_that_fails_half_way_says_so() -> None:
    async with program(Answer(("Sa",), error=UpstreamError(detail="broken"))) as asked:
        stream = await asked.client.responses.create(
            model="schaeffer", input="Bonjour", stream=True
        )
        last = [event async for event in stream][-1]
        assert last.type == "response.failed"
        assert "broken" in last.response.error.message


@pytest.mark.parametrize(
    ("wish", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"tools": [{"type": "web_search"}]}, "tools"),
        ({"background": True}, "background"),
        ({"text": {"format": {"type": "json_object"}}}, "text"),
        (
            {"input": [{"type": "function_call_output", "output": "x", "call_id": "1"}]},
            "input.0.type",
        ),
        ({"input": [{"role": "nobody", "content": "x"}]}, "input.0"),
        ({"metadata": {str(each): "x" for each in range(17)}}, "metadata"),
        ({"metadata": {"a": "x" * 513}}, "metadata.a"),
    ],
)
async def test_a_response_refuses_what_no_persona_can_do(wish: dict, param: str) -> None:
    async with program() as asked:
        with pytest.raises(openai.BadRequestError) as caught:
            await asked.client.responses.create(**{"model": "schaeffer", "input": "x"} | wish)
        assert caught.value.param == param
