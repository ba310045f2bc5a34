"""Seed 000 §5.6: what a client may send, and what becomes of the rest."""

import json

from tests.support.rooms import Frame, house, is_final, plain, texts

from palabre.testing.clock import FrozenClock
from palabre.testing.messages import MemoryMessageStore

INVALID = {"type": "system", "text": "Message invalide (format incorrect)."}
MIB_16 = 16 * 1024 * 1024


async def reactions(*raws: str | bytes) -> list[list[Frame]]:
    """Send *raws* to a room without personas, and return what ana, who sends them, is told.

    Bob, who listens, is told no more than ana is told with a seq.
    """
    async with house(personas=(), rate_limit_messages=1000) as place:
        ana, bob = await place.company("ana", "bob")
        told = []
        for raw in raws:
            await ana.send(raw)
            told.append(await ana.so_far())
        shared = [frame for frames in told for frame in frames if "seq" in frame]
        assert await bob.so_far() == shared
        return told


# --- the pipeline -----------------------------------------------------------------------------


async def test_a_frame_above_16_mib_is_dropped_in_silence() -> None:
    """§5.6 — 1. Frame size check: raw.length > MAX_WS_MESSAGE_BYTES (16 MB) → silently dropped
    §14 — Frame max: 16 MB WebSocket
    """
    frames = [
        '{"type":"message","text":"ok","pad":"' + "x" * MIB_16 + '"}',
        '{"type":"nonsense","text":"ok","pad":"' + "x" * MIB_16 + '"}',
        "{" + "x" * MIB_16,
        '{"type":"message","text":"ok","pad":"' + "x" * (MIB_16 + 1024 * 1024) + '"}',
        '{"type":"message","text":"ok","pad":"' + "é" * (MIB_16 // 2) + '"}',
    ]
    assert await reactions(*frames) == [[]] * 5


NO_JSON: list[str | bytes] = [
    "",
    " ",
    "bonjour",
    "{",
    '{"type":"message","text":"a"',
    '{"type":"message","text":"a"}}',
    "{'type':'message'}",
    '{"type":"message","text":"a\x00b"}',
    "NaN",
    "[" * 10_000,
    "[" * 10_000 + "]" * 10_000,
    b"\xff\xfe\x00",
    b'{"type":"message","text":"\xff"}',
    b"\x00",
]


async def test_what_is_no_json_is_dropped_in_silence() -> None:
    """§5.6 — 3. JSON parse → silently dropped si invalide"""
    assert await reactions(*NO_JSON) == [[]] * len(NO_JSON)


NO_FRAME = [
    "{}",
    "[]",
    "5",
    "null",
    "true",
    '"message"',
    '{"type":"message"}',
    '{"type":"message","text":""}',
    '{"type":"message","text":null}',
    '{"type":"message","text":5}',
    '{"type":"message","text":["a"]}',
    '{"type":"Message","text":"a"}',
    '{"type":"__ping"}',
    '{"type":null,"text":"a"}',
    '{"type":5,"text":"a"}',
    '{"text":"a"}',
    '{"type":"command"}',
    '{"type":"command","text":""}',
    '{"type":"command","text":{}}',
    '{"type":"upload","filename":5}',
    '{"type":"upload","size":"12"}',
    '{"type":"join","nick":"ana","channel":"#general","text":"x"}',
    '[{"type":"message","text":"a"}]',
]


async def test_json_of_the_wrong_shape_is_answered_with_a_line() -> None:
    """§5.6 — 4. Zod wsMessageSchema.safeParse() → system error reply si invalide
    §16 — wsMessageSchema: Tout message WS entrant
    """
    assert await reactions(*NO_FRAME) == [[INVALID]] * len(NO_FRAME)


async def test_the_limiter_comes_before_the_parser() -> None:
    """§5.6 — Validation pipeline (dans cet ordre)"""
    async with house(personas=(), clock=FrozenClock(), rate_limit_messages=1) as place:
        ana = await place.enter("ana")
        await ana.say("a")
        await ana.next()
        for raw in ("{", "{}", "[]"):
            await ana.send(raw)
            assert (await ana.next())["text"] == "Trop de messages — ralentis un peu."


async def test_what_is_dropped_is_counted() -> None:
    """§5.6 — 3. JSON parse → silently dropped si invalide"""
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.send("{")
        await ana.so_far()
        lines = place.app.telemetry.exposition().decode().splitlines()
        assert any("frames_dropped" in line and "not_json" in line for line in lines)


# --- shapes -----------------------------------------------------------------------------------


async def test_a_frame_is_a_json_object_with_a_type() -> None:
    """§5.6 — Tous les messages sont des objets JSON avec un champ type discriminant."""
    (told,) = await reactions('{"type":"message","text":"Bonjour"}')
    assert plain(told) == [
        {"type": "message", "nick": "ana", "text": "Bonjour", "color": "#e0e0e0", "seq": 5}
    ]


OK_MESSAGES: list[str | bytes] = [
    b'{"type":"message","text":"ok"}',
    '{"text":"ok","type":"message"}',
    '{"type":"message","text":"ok","seq":1,"nick":"Batty","color":"#000000","x":[{}]}',
    ' \n{ "type" : "message" , "text" : "ok" }\r\n',
    '{"type":"message","text":"o\\u006b"}',
]


async def test_any_json_of_a_message_is_one() -> None:
    """§5.6 — Type InboundChatMessage"""
    for (told,) in await reactions(*OK_MESSAGES):
        assert (told["nick"], told["text"], told["color"]) == ("ana", "ok", "#e0e0e0")


async def test_a_text_has_at_most_8192_characters() -> None:
    """§5.6 — text: string;  // 1-8192 chars (Zod)
    §14 — Texte max: 8192 caracteres par message (Zod wsMessageSchema)
    §16 — Discriminated union: message (text 1-8192), command (text 1-8192)
    """
    sizes = [("message", 8192), ("message", 8193), ("command", 8192), ("command", 8193)]
    frames = [json.dumps({"type": kind, "text": "x" * size}) for kind, size in sizes]
    told = [each["text"] for (each,) in await reactions(*frames)]
    long, invalid = "x" * 8192, INVALID["text"]
    assert told == [long, invalid, f"Commande inconnue: {long}. Tape /help.", invalid]


async def test_all_fields_of_an_upload_but_its_type_are_optional() -> None:
    """§5.6 — Tous les champs sauf type sont optionnels au niveau Zod."""
    ((told,),) = await reactions('{"type":"upload"}')
    assert told["text"].startswith("Upload rejeté — ")


UPLOADS: list[tuple[Frame, bool]] = [
    ({"filename": "f" * 255}, True),
    ({"filename": "f" * 256}, False),
    ({"mimeType": "m" * 100}, True),
    ({"mimeType": "m" * 101}, False),
    ({"size": MIB_16}, True),
    ({"size": MIB_16 + 1}, False),
    ({"size": -1}, True),
    ({"data": "AAAA"}, True),
    ({"data": 5}, False),
]


async def test_the_fields_of_an_upload_have_limits() -> None:
    """§5.6 — filename?: string;   // max 255 chars (Zod)
    §17 — Filenames: max 255 chars
    §5.6 — mimeType?: string;   // max 100 chars (Zod)
    §5.6 — size?: number;       // max 16 * 1024 * 1024 (Zod)
    §16 — upload (filename, mimeType, data, size <= 16MB)
    """
    frames = [json.dumps({"type": "upload", **fields}) for fields, _ in UPLOADS]
    told = await reactions(*frames)
    assert [frames != [INVALID] for frames in told] == [valid for _, valid in UPLOADS]


# --- what is done with a message ----------------------------------------------------------------


async def test_a_message_goes_to_the_whole_channel_its_sender_included() -> None:
    """§5.6 — 1. Broadcast message a tout le canal (nick de l'expediteur, color #e0e0e0)"""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await ana.say("Bonjour <b>à</b> tous 🙂\u2028\n")
        expected = {
            "type": "message",
            "nick": "ana",
            "text": "Bonjour <b>à</b> tous 🙂\u2028\n",
            "color": "#e0e0e0",
            "seq": 5,
        }
        assert (await ana.next(), await bob.next()) == (expected, expected)


async def test_a_message_stays_in_its_channel() -> None:
    """§5.6 — 1. Broadcast message a tout le canal (nick de l'expediteur, color #e0e0e0)"""
    async with house(personas=()) as place:
        ana, bob = await place.company("ana", "bob")
        await bob.command("/join #ailleurs")
        await bob.until_text("Canal change")
        await ana.say("entre nous")
        await ana.until_text("entre nous")
        assert "entre nous" not in texts(await bob.so_far())


async def test_a_message_is_kept_before_anybody_answers() -> None:
    """§5.6 — 2. Log dans le chat logger (JSONL)
    §5.6 — 3. Ajout au context store du canal
    """
    store, clock = MemoryMessageStore(), FrozenClock()
    async with house("Oui.", store=store, clock=clock) as place:
        ana = await place.enter("ana")
        await ana.say("@Batty ?")
        await ana.until(lambda f: is_final(f, "Batty"))
    kept = [(said.at, said.channel, said.nick, said.text, said.kind) for said in store.utterances]
    assert kept == [
        (clock.now(), "#general", "ana", "@Batty ?", "message"),
        (clock.now(), "#general", "Batty", "Oui.", "message"),
    ]


async def test_the_named_persona_answers() -> None:
    """§5.6 — 4. Route vers personas via createConversationRouter (mention directe @Nom)
    §13.3 — les messages texte contenant @NomPersona declenchent une reponse directe
    """
    async with house("Oui.") as place:
        ana = await place.enter("ana")
        await ana.say("Bonjour @Schaeffer, que penses-tu de Xenakis?")
        assert [f["nick"] for f in await ana.so_far() if f["type"] == "message"] == [
            "ana",
            "Schaeffer",
        ]


async def test_without_a_name_the_dispatcher_answers() -> None:
    """§5.6 — ou selection parmi maxGeneralResponders"""
    async with house("Oui.") as place:
        ana = await place.enter("ana")
        await ana.say("Bonjour")
        assert [f["nick"] for f in await ana.so_far() if f["type"] == "message"] == [
            "ana",
            "Pharmacius",
        ]


# --- what is done with a command ----------------------------------------------------------------


async def test_a_command_is_split_at_white_space() -> None:
    """§5.6 — Le texte est split par whitespace: parts[0] est la commande, le reste sont les arguments.
    §5.6 — Type InboundCommand
    """
    async with house(personas=()) as place:
        ana = await place.enter("ana")
        await ana.command("  /web \t musique   concrete\n")
        assert texts([await ana.next()]) == ["Recherche: musique   concrete..."]


async def test_a_command_starts_with_a_slash() -> None:
    """§5.6 — text: string;  // 1-8192 chars (Zod), commence par /"""
    lines = [
        ("hello", "hello"),
        ("hello monde", "hello"),
        ("   ", ""),
        ("/", "/"),
        ("//who", "//who"),
    ]
    frames = [json.dumps({"type": "command", "text": line}) for line, _ in lines]
    assert await reactions(*frames) == [
        [{"type": "system", "text": f"Commande inconnue: {named}. Tape /help."}]
        for _, named in lines
    ]


async def test_a_message_that_starts_with_a_slash_is_a_message() -> None:
    """§5.6 — Type InboundChatMessage"""
    ((told,),) = await reactions('{"type":"message","text":"/who"}')
    assert (told["type"], told["text"]) == ("message", "/who")
