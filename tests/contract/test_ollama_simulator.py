"""The simulated Ollama against the shapes of Ollama's public API document, over a socket."""

import asyncio
import json
from collections.abc import AsyncIterator

import httpx2
import pytest
from tests.support.ollama_calls import ASK, FAST, content, lines, names, told, when, writes

from palabre.testing.ollama import running


@pytest.fixture
async def improviser() -> AsyncIterator[httpx2.AsyncClient]:
    async with running() as url, httpx2.AsyncClient(base_url=url) as client:
        yield client


# --- shapes ---------------------------------------------------------------------------------------


async def test_a_streamed_chat_is_lines_of_content_and_a_last_line_with_figures(
    improviser: httpx2.AsyncClient,
) -> None:
    response = await improviser.post("/api/chat", json=ASK)
    *pieces, last = lines(response)
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["transfer-encoding"] == "chunked"
    assert all(piece.keys() == {"model", "created_at", "message", "done"} for piece in pieces)
    assert all(piece["done"] is False for piece in pieces)
    assert all(piece["message"]["role"] == "assistant" for piece in pieces)
    assert last["message"] == {"role": "assistant", "content": ""}
    assert (last["done"], last["done_reason"]) == (True, "stop")
    assert last["eval_count"] == len(pieces)
    figures = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")
    assert all(isinstance(last[figure], int) for figure in figures)
    assert last["prompt_eval_count"] > 0


async def test_a_chat_without_stream_is_one_object(improviser: httpx2.AsyncClient) -> None:
    response = await improviser.post("/api/chat", json=ASK | {"stream": False})
    answer = response.json()
    assert response.headers["content-type"] == "application/json"
    assert answer["message"]["content"]
    assert answer["done"] is True
    assert answer["eval_count"] > 0


async def test_a_completion_has_its_text_in_response(improviser: httpx2.AsyncClient) -> None:
    ask = {"model": "qwen3:8b", "prompt": "Salut"}
    *pieces, last = lines(await improviser.post("/api/generate", json=ask))
    assert "".join(piece["response"] for piece in pieces)
    assert (last["response"], last["done"]) == ("", True)


@pytest.mark.parametrize("path", ["/api/chat", "/api/generate"])
async def test_a_call_without_words_loads_the_model_and_keep_alive_0_unloads_it(
    improviser: httpx2.AsyncClient, path: str
) -> None:
    load = (await improviser.post(path, json={"model": "mistral:7b"})).json()
    assert (load["done"], load["done_reason"]) == (True, "load")
    assert "mistral:7b" in await names(improviser, "/api/ps")
    unload = (await improviser.post(path, json={"model": "mistral:7b", "keep_alive": 0})).json()
    assert unload["done_reason"] == "unload"
    assert "mistral:7b" not in await names(improviser, "/api/ps")


async def test_tags_and_ps_have_ollamas_fields(improviser: httpx2.AsyncClient) -> None:
    tag = (await improviser.get("/api/tags")).json()["models"][0]
    loaded = (await improviser.get("/api/ps")).json()["models"][0]
    common = {"name", "model", "size", "digest", "details"}
    assert tag.keys() == common | {"modified_at"}
    assert loaded.keys() >= common | {"expires_at", "size_vram"}
    assert tag["details"].keys() == {
        "parent_model",
        "format",
        "family",
        "families",
        "parameter_size",
        "quantization_level",
    }
    assert len(tag["digest"]) == 64


async def test_show_tells_capabilities_and_the_context_length(
    improviser: httpx2.AsyncClient,
) -> None:
    shown = (await improviser.post("/api/show", json={"model": "qwen3-vl:8b"})).json()
    family = shown["model_info"]["general.architecture"]
    assert shown["capabilities"] == ["completion", "vision", "tools"]
    assert shown["model_info"][f"{family}.context_length"] == 40960
    assert shown["details"]["parameter_size"] == "8.8B"


async def test_embed_takes_one_text_or_many(improviser: httpx2.AsyncClient) -> None:
    ask = {"model": "nomic-embed-text"}
    one = (await improviser.post("/api/embed", json=ask | {"input": "été"})).json()
    many = (await improviser.post("/api/embed", json=ask | {"input": ["été", "hiver"]})).json()
    assert [len(vector) for vector in many["embeddings"]] == [768, 768]
    assert one["embeddings"] == many["embeddings"][:1]
    assert one["prompt_eval_count"] == 1


async def test_pull_tells_its_progress_and_installs_the_model() -> None:
    script = "[pull]\nduration_s = 0\nsteps = 3\nunknown = ['nothing']"
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        first, *steps, _, _, last = lines(await client.post("/api/pull", json={"model": "tiny"}))
        assert first == {"status": "pulling manifest"}
        assert [step["completed"] for step in steps][-1] == steps[0]["total"]
        assert steps[0]["digest"].startswith("sha256:")
        assert last == {"status": "success"}
        assert "tiny:latest" in await names(client, "/api/tags")
        failed = lines(await client.post("/api/pull", json={"model": "nothing"}))
        assert failed[-1] == {"error": "pull model manifest: file does not exist"}
        whole = await client.post("/api/pull", json={"model": "small", "stream": False})
        assert whole.json() == {"status": "success"}


async def test_wrong_requests_are_refused_in_json(improviser: httpx2.AsyncClient) -> None:
    unknown = await improviser.post("/api/chat", json=ASK | {"model": "nope"})
    assert (unknown.status_code, unknown.json()) == (404, {"error": "model 'nope' not found"})
    nameless = await improviser.post("/api/chat", json={"messages": []})
    assert (nameless.status_code, nameless.json()) == (400, {"error": "model is required"})
    broken = await improviser.post("/api/chat", content=b"{")
    assert (broken.status_code, list(broken.json())) == (400, ["error"])
    assert (await told(improviser))["failed"] == 3


async def test_num_predict_ends_the_answer_with_the_reason_length(
    improviser: httpx2.AsyncClient,
) -> None:
    *pieces, last = lines(
        await improviser.post("/api/chat", json=ASK | {"options": {"num_predict": 2}})
    )
    assert (len(pieces), last["done_reason"], last["eval_count"]) == (2, "length", 2)


# --- scripts --------------------------------------------------------------------------------------


async def test_rules_are_tried_in_order_and_used_up() -> None:
    script = FAST + '[[answer]]\nwhen = "salut"\ntimes = 1\ntext = "un"\n[[answer]]\ntext = "deux"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        said = [await content(client) for _ in range(2)]
    assert said == ["un", "deux"]


async def test_thinking_has_a_field_of_its_own_unless_it_is_not_wanted() -> None:
    script = FAST + '[[answer]]\nthinking = "je cherche"\ntext = "voilà"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        pieces = lines(await client.post("/api/chat", json=ASK))
        assert [piece["message"].get("thinking") for piece in pieces[:3]] == [
            "je ",
            "cherche",
            None,
        ]
        assert pieces[2]["message"]["content"] == "voilà"
        plain = lines(await client.post("/api/chat", json=ASK | {"think": False}))
        assert plain[0]["message"] == {"role": "assistant", "content": "voilà"}


async def test_tokens_keep_their_pace() -> None:
    script = "first_token_delay_s = 0.1\ntokens_per_s = 50\n[[answer]]\ntokens = ['a', 'b', 'c']"
    loop = asyncio.get_running_loop()
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        began = loop.time()
        await client.post("/api/chat", json=ASK)
        assert 0.13 < loop.time() - began < 20


async def test_stamped_tokens_tell_when_they_were_sent() -> None:
    script = FAST + "[[answer]]\nstamp = true\ntokens = ['a', 'b']"
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        first, second, _ = lines(await client.post("/api/chat", json=ASK))
    marks = [piece["message"]["content"] for piece in (first, second)]
    assert all(mark.startswith("~T") and len(mark) == 20 for mark in marks)
    assert int(marks[0][2:18], 16) < int(marks[1][2:18], 16)


@pytest.mark.parametrize("seed", [1, 2])
async def test_split_bytes_cuts_lines_and_characters_the_same_way_each_time(seed: int) -> None:
    rule = f'seed = {seed}\n{FAST}split = "bytes"\n[[answer]]\ntext = "é\U0001f3b5ü ö"'
    async with running(rule) as url:
        first, second = await writes(url), await writes(url)
    text = b"".join(first).decode()
    assert [len(chunk) for chunk in first[:20]] == [len(chunk) for chunk in second[:20]]
    assert max(map(len, first)) <= 7
    assert "".join(json.loads(line)["message"]["content"] for line in text.splitlines()) == (
        "é\U0001f3b5ü ö"
    )


async def test_some_seed_cuts_inside_a_character() -> None:
    rule = FAST + 'split = "bytes"\n[[answer]]\ntext = "' + "é" * 40 + '"'
    async with running(rule) as url:
        chunks = await writes(url)
    assert any(chunk.startswith(b"\xa9") for chunk in chunks)


async def test_split_lines_sends_the_whole_answer_in_one_write() -> None:
    async with running(FAST + 'split = "lines"\n[[answer]]\ntext = "un deux trois"') as url:
        chunks = await writes(url)
    assert [chunk.count(b"\n") for chunk in chunks] == [4]


# --- faults ---------------------------------------------------------------------------------------


async def test_http_is_a_status_and_a_json_error() -> None:
    script = '[[answer]]\nerror = "http"\nmessage = "out of memory"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        response = await client.post("/api/chat", json=ASK)
    assert (response.status_code, response.json()) == (500, {"error": "out of memory"})


async def test_loading_is_503_as_often_as_wanted() -> None:
    script = FAST + '[[answer]]\nerror = "loading"\ntimes = 2'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        statuses = [(await client.post("/api/chat", json=ASK)).status_code for _ in range(3)]
    assert statuses == [503, 503, 200]


async def test_in_stream_is_an_error_object_after_some_tokens() -> None:
    script = FAST + '[[answer]]\nerror = "in_stream"\nafter_tokens = 2\ntext = "un deux trois"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        answer = lines(await client.post("/api/chat", json=ASK))
        whole = await client.post("/api/chat", json=ASK | {"stream": False})
        assert (await told(client))["failed"] == 2
    assert [list(line)[-1] for line in answer] == ["done", "done", "error"]
    assert (whole.status_code, list(whole.json())) == (500, ["error"])


@pytest.mark.parametrize("stream", [True, False])
async def test_cut_closes_the_connection_inside_a_line(stream: bool) -> None:
    script = FAST + '[[answer]]\nerror = "cut"\nafter_tokens = 1\ntext = "un deux"'
    got = b""
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        with pytest.raises(httpx2.RemoteProtocolError):
            async with client.stream("POST", "/api/chat", json=ASK | {"stream": stream}) as answer:
                async for part in answer.aiter_raw():
                    got += part
        assert (await told(client))["failed"] == 1
    assert got.count(b"\n") == (1 if stream else 0)
    assert not got.endswith(b"\n")


async def test_silent_answers_nothing_and_the_client_that_leaves_is_counted() -> None:
    script = FAST + '[[answer]]\nerror = "silent"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        with pytest.raises(httpx2.ReadTimeout):
            await client.post("/api/chat", json=ASK, timeout=0.1)
        ledger = await when(client, "cut_by_client", 1)
    assert ledger["running"] == 0


async def test_silent_after_tokens_stalls_in_the_middle() -> None:
    script = FAST + '[[answer]]\nerror = "silent"\nafter_tokens = 1\ntext = "un deux"'
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        async with client.stream("POST", "/api/chat", json=ASK) as answer:
            parts = answer.aiter_raw()
            first = await anext(parts)
            assert json.loads(first)["message"]["content"] == "un "
            assert (await told(client))["running"] == 1
        await when(client, "cut_by_client", 1)


# --- the ledger -----------------------------------------------------------------------------------


async def test_a_stream_that_the_client_closes_stops_at_once_and_is_counted() -> None:
    script = "first_token_delay_s = 0\ntokens_per_s = 20\n[[answer]]\ntext = '" + "mot " * 500 + "'"
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        async with client.stream("POST", "/api/chat", json=ASK) as answer:
            parts = answer.aiter_raw()
            await anext(parts)
            assert (await told(client))["running"] == 1
        ledger = await when(client, "cut_by_client", 1)
    assert ledger["running"] == 0
    assert ledger["requests"][0]["tokens_sent"] < 250


async def test_the_ledger_tells_what_was_asked_newest_last_and_how_many_ran_at_once() -> None:
    script = FAST + "first_token_delay_s = 0.5".replace("first", "\n[[answer]]\nfirst")
    async with running(script) as url, httpx2.AsyncClient(base_url=url) as client:
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(client.post("/api/chat", json=ASK))
        await client.post("/api/show", json={"model": "qwen3:8b"})
        ledger = await told(client)
        assert ledger["most_at_once"] == 3
        assert ledger["answered"] == 4
        assert ledger["requests"][0]["body"] == ASK
        assert ledger["requests"][-1]["path"] == "/api/show"
        assert (await client.delete("/sim/requests")).json()["requests"] == []


async def test_calls_that_still_run_do_not_hold_up_the_end() -> None:
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group, httpx2.AsyncClient() as client:
        async with running(FAST + '[[answer]]\nerror = "silent"') as url:
            call = group.create_task(client.post(f"{url}/api/chat", json=ASK))
            async with httpx2.AsyncClient(base_url=url) as other:
                await when(other, "running", 1)
            began = loop.time()
        assert (await call).is_server_error
        assert loop.time() - began < 1
