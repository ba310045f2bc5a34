import asyncio

import pytest

from palabre.surfaces.rooms.tui.commands import Command, load_commands, matching, parse_commands

COMMANDS = tuple(Command(name, name, "") for name in ("/clear", "/compose", "/memory", "/me"))


def test_a_command_with_arguments_is_recognised_and_its_beginnings_too() -> None:
    assert [c.name for c in matching("/c", COMMANDS)] == ["/clear", "/compose"]
    assert [c.name for c in matching("/me", COMMANDS)] == ["/me"]
    assert [c.name for c in matching("/compose drone", COMMANDS)] == ["/compose"]
    assert matching("/x", COMMANDS) == ()


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"name":"/nick","usage":"/nick <nom>","summary":"s"}]',
        b'[{"name":"nick","usage":"/nick <nom>","summary":"s","more":1}]',
        b'{"ok":true,"data":[{"name":"nick","usage":"<nom>","summary":"s"}]}',
    ],
)
def test_the_servers_list_is_read(raw: bytes) -> None:
    assert parse_commands(raw) == (Command("/nick", "/nick <nom>", "s"),)


def test_a_command_without_arguments_is_its_own_usage() -> None:
    assert parse_commands(b'[{"name":"who","usage":""}]') == (Command("/who", "/who", ""),)


@pytest.mark.parametrize("raw", [b"<html>", b"{}", b'[{"usage":1}]', b"null"])
def test_another_answer_is_no_list(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        parse_commands(raw)


async def loaded_from(answer: bytes) -> tuple[tuple[Command, ...], bytes]:
    """Return what is loaded from a server that says *answer*, and what it was asked."""
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        return await load_commands(f"http://127.0.0.1:{port}/list?lang=en"), asked[0]


async def test_the_list_is_fetched_from_the_server() -> None:
    answer = b'HTTP/1.0 200 OK\r\n\r\n{"data":[{"name":"who","summary":"who is here"}]}'
    commands, asked = await loaded_from(answer)
    assert commands == (Command("/who", "/who", "who is here"),)
    assert asked.startswith(b"GET /list?lang=en HTTP/1.1")


@pytest.mark.parametrize(
    "answer", [b"HTTP/1.0 404 No\r\n\r\n[]", b"HTTP/1.0 200 OK\r\n\r\n<p>", b""]
)
async def test_a_server_that_does_not_say_has_no_commands(answer: bytes) -> None:
    assert (await loaded_from(answer))[0] == ()
