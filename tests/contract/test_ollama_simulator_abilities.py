"""The simulated Ollama asks for tools, sees pictures and keeps to a format, as Ollama does."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from tests.support.ollama_calls import ASK, FAST, content, lines, told

from palabre.testing.ollama import running


@pytest.fixture
async def improviser() -> AsyncIterator[httpx2.AsyncClient]:
    async with running() as url, httpx2.AsyncClient(base_url=url) as client:
        yield client


# --- shapes ---------------------------------------------------------------------------------------


TOOL = {"type": "function", "function": {"name": "web_search", "parameters": {}}}
SEARCHING = """
[[answer]]
when = "météo"
tool = { name = "web_search", arguments = { query = "météo Lille" } }
text = "Il pleut."
"""


def weather(**more: object) -> dict[str, Any]:
    return ASK | {"messages": [{"role": "user", "content": "Quelle météo ?"}], **more}


async def test_a_tool_is_asked_for_once_and_the_text_comes_after_its_answer() -> None:
    async with running(FAST + SEARCHING) as url, httpx2.AsyncClient(base_url=url) as client:
        asked = lines(await client.post("/api/chat", json=weather(tools=[TOOL])))
        calls = [call for line in asked for call in line["message"].get("tool_calls", ())]
        messages = [
            *weather()["messages"],
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "tool_name": "web_search", "content": "pluie"},
        ]
        whole = weather(tools=[TOOL], messages=messages, stream=False)
        answer = (await client.post("/api/chat", json=whole)).json()
    (call,) = calls
    assert call["function"]["name"] == "web_search"
    assert call["function"]["arguments"] == {"query": "météo Lille"}
    assert asked[-1]["done"] is True
    assert answer["message"] == {"role": "assistant", "content": "Il pleut."}


async def test_a_tool_that_is_not_offered_is_not_asked_for() -> None:
    async with running(FAST + SEARCHING) as url, httpx2.AsyncClient(base_url=url) as client:
        answer = (await client.post("/api/chat", json=weather(stream=False))).json()
    assert answer["message"] == {"role": "assistant", "content": "Il pleut."}


async def test_a_model_without_tools_refuses_them(improviser: httpx2.AsyncClient) -> None:
    ask = ASK | {"model": "mistral:7b", "tools": [TOOL]}
    refused = await improviser.post("/api/chat", json=ask)
    assert refused.status_code == 400
    assert "does not support tools" in refused.json()["error"]


async def test_pictures_are_counted_and_choose_the_answer() -> None:
    script = FAST + '[[answer]]\nwhen_images = true\ntext = "Un chat."\n[[answer]]\ntext = "Rien."'
    shown = [{"role": "user", "content": "Regarde", "images": ["aGk=", "aGk="]}]
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        said = [await content(client), await content(client, messages=shown)]
        ledger = await told(client)
    assert said == ["Rien.", "Un chat."]
    assert [call["images"] for call in ledger["requests"]] == [0, 2]


SCHEMA = {
    "type": "object",
    "properties": {
        "summary": {"type": "string"},
        "facts": {"type": "array", "items": {"type": "string"}},
        "mood": {"enum": ["calme", "vif"]},
        "sure": {"type": "boolean"},
        "count": {"type": "integer", "minimum": 1},
        "none": {"type": "null"},
    },
}


async def test_an_answer_in_a_format_is_json_that_fits_it() -> None:
    script = FAST + '[[answer]]\ntext = "elle aime les trains"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        fitting = json.loads(await content(client, format=SCHEMA))
        loose = json.loads(await content(client, format="json"))
    words = "elle aime les trains"
    expected = {"summary": words, "facts": [words], "mood": "calme", "sure": False, "count": 1}
    assert fitting == expected | {"none": None}
    assert loose == {"answer": words}


async def test_scripted_json_is_left_as_it_is_and_can_wait_for_a_format() -> None:
    rule = """[[answer]]\nwhen_format = true\ntext = '{"facts": []}'\n[[answer]]\ntext = "Oui."\n"""
    async with running(FAST + rule) as url, httpx2.AsyncClient(base_url=url) as client:
        said = [await content(client), await content(client, format=SCHEMA)]
    assert said == ["Oui.", '{"facts": []}']
