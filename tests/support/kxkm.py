"""A made-up installation of KXKM_Clown, by the shapes that are known, with every quirk of them."""

import json
import wave
from pathlib import Path

DAY = "chat-logs/v2-2026-03-19.jsonl"
NEXT_DAY = "chat-logs/v2-2026-03-20.jsonl"
MINE = "persona_m8abc123_0123abcd"


def line(ts: str, nick: str, text: str, kind: str = "message", channel: str | None = "#general"):
    told = {"ts": ts, "nick": nick, "type": kind, "text": text}
    return json.dumps(told if channel is None else told | {"channel": channel})


def context(ts: str, nick: str, text: str, kind: str = "message") -> str:
    return json.dumps({"ts": ts, "nick": nick, "text": text, "type": kind})


def make_kxkm(root: Path) -> Path:
    """Write the installation below *root* and return its data dir."""
    data = root / "data"
    _said(data)
    _memories(data)
    _media(data)
    _voices(data)
    _editorial(data)
    _put(data, "chat-paused", "")
    _put(data, "channel-state.json", '{"#general":{"topic":"son","pins":[]}}')
    return data


def _said(data: Path) -> None:
    bad = [
        "{broken",
        '{"text":"unlesbar","type":"raw"}',
        '{"ts":"2026-03-19T10:00:00.000Z","channel":"#general","type":"message"}',
        "[1, 2]",
        '"' + "x" * 1_100_000 + '"',
    ]
    good = [
        "\ufeff" + line("2026-03-19T09:00:00.000Z", "ana", "Bonjour \u2028 à tous"),
        line("2026-03-19T09:00:00.000Z", "ana", "Encore"),
        line("2026-03-19T09:00:00.000Z", "ana", "Encore"),
        line("2026-03-19T08:00:00.000Z", "Batty", "J'ai vu tant de choses"),
        line("2026-03-19T09:05:00.000Z", "ana", "ana a rejoint", "system"),
        line("2026-03-19T09:06:00.000Z", "ana", "sans canal", channel=None),
        line("2026-03-20T00:00:01.000Z", "ana", "déjà demain"),
        '{"ts":"2026-03-19T09:07:00.000Z","channel":"#général","nick":"ana","type":"message",'
        '"text":"demi \\ud83d emoji"}',
    ]
    lines = [*good[:3], *bad, *good[3:], ""]
    path = data / DAY
    path.parent.mkdir(parents=True)
    path.write_bytes(
        "\r\n".join(lines).encode() + line("2026-03-19T10:00:00Z", "bob", "fin").encode()
    )
    _contexts(data)
    _put(data, NEXT_DAY, line("2026-03-20T08:00:00.000Z", "bob", "matin") + "\n")
    _put(data, "chat-logs/notes.txt", "x")


def _contexts(data: Path) -> None:
    _put(
        data,
        "context/_general.jsonl",
        "\n".join(
            [
                context("2026-03-19T09:00:00.000Z", "ana", "Bonjour"),
                "{broken",
                context("2026-03-19T09:01:00.000Z", "Batty", "é" * 2500),
            ]
        )
        + "\n",
    )
    _put(
        data,
        "context/_general.summary.json",
        json.dumps(
            {
                "channel": "#general",
                "summaryText": "On a parlé de sons.",
                "entriesCompacted": 160,
                "lastCompactedAt": "2026-03-18T00:00:00.000Z",
                "totalCompactions": 1,
            }
        ),
    )
    _put(data, "context/_vide.summary.json", "{}")


def record(persona: str, nick: str, *facts: str) -> str:
    at = "2026-03-19T09:00:00.000Z"
    archived = [
        {"text": each, "firstSeenAt": at, "lastSeenAt": at, "source": "chat"} for each in facts
    ]
    return json.dumps(
        {
            "version": 2,
            "personaId": persona,
            "personaNick": nick,
            "updatedAt": at,
            "workingMemory": {"facts": facts, "summary": "Des sons", "lastSourceMessages": []},
            "archivalMemory": {
                "facts": archived,
                "summaries": [{"text": "Des sons", "createdAt": at}],
            },
            "compat": {"facts": facts, "summary": "Des sons", "lastUpdated": at},
        }
    )


def legacy(nick: str, *facts: str, **more: object) -> str:
    told = {"nick": nick, "facts": facts, "summary": "", "lastUpdated": "2026-03-18T09:00:00Z"}
    return json.dumps(told | more)


def _memories(data: Path) -> None:
    ours = ["Ana joue du violoncelle", "Bob enregistre la pluie"]
    _put(data, "v2-local/persona-memory/schaeffer.json", record("schaeffer", "Schaeffer", *ours))
    _put(data, "persona-memory/Schaeffer.json", legacy("Schaeffer", *ours))
    _put(data, "persona-memory/Batty.json", legacy("Batty", "Ana craint l'orage", _migrated=True))
    _put(data, "persona-memory/pharmacius/ana.json", legacy("ana", "Ana soude des synthés"))
    _put(
        data,
        "v2-local/persona-memory/pharmacius/_anonymous.json",
        record("pharmacius", "Pharmacius", "Quelqu'un cherche un théâtre"),
    )
    _put(data, "v2-local/persona-memory/broken.json", "{")


def _media(data: Path) -> None:
    described = {
        "id": "1742378400000-0a1b2c3d",
        "type": "image",
        "prompt": "une colline",
        "nick": "ana",
        "channel": "#general",
        "createdAt": "2026-03-19T10:00:00.000Z",
        "mime": "image/png",
        "filename": "1742378400000-0a1b2c3d.png",
    }
    _put(data, "media/images/1742378400000-0a1b2c3d.json", json.dumps(described))
    _put(data, "media/images/1742378400000-0a1b2c3d.png", "png")
    lost = described | {"id": "1742378400001-0a1b2c3d", "filename": "1742378400001-0a1b2c3d.png"}
    _put(data, "media/images/1742378400001-0a1b2c3d.json", json.dumps(lost))
    _put(data, "media/audio/1742378400002-0a1b2c3d.json", "{broken")
    _put(data, "media/audio/orphan.mp3", "mp3")


def _voices(data: Path) -> None:
    (data / "voice-samples").mkdir()
    with wave.open(str(data / "voice-samples" / "schaeffer.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(16_000)
        sound.writeframes(bytes(16_000))
    _put(data, "voice-samples/batty.wav", "no sound")


def _editorial(data: Path) -> None:
    _personas(data)
    _proposals(data)
    _judgements(data)


def _personas(data: Path) -> None:
    personas = [
        {
            "id": "schaeffer",
            "name": "Schaeffer",
            "model": "qwen3:8b",
            "summary": "Écoute les trains.",
            "editable": True,
        },
        {
            "id": MINE,
            "name": "Moulin",
            "model": "mistral:7b",
            "summary": "Tourne.",
            "editable": True,
        },
        {"id": "batty", "name": "Batty", "model": "qwen3:8b", "summary": "", "enabled": False},
        {"id": "persona_x", "name": "Schaeffer", "model": "qwen3:8b", "summary": "Double."},
        {"id": "persona_y", "name": "\u202e!!", "model": "qwen3:8b", "summary": "Sans nom."},
        {"id": "../evil", "name": "Evil", "model": "qwen3:8b", "summary": ""},
    ]
    _put(data, "v2-local/personas.json", json.dumps(personas))
    source = {
        "personaId": MINE,
        "subjectName": "Moulin à vent",
        "summary": "",
        "references": ["a", 7],
    }
    _put(data, "v2-local/persona-sources.json", json.dumps({MINE: source}))
    _put(data, "v2-local/persona-feedback.json", json.dumps({"items": _feedback()}))


def _proposals(data: Path) -> None:
    proposal = {
        "id": "proposal_m8abc124_0123abcd",
        "personaId": MINE,
        "reason": "reinforce_v2",
        "before": {"name": "Moulin", "model": "mistral:7b", "summary": "Tourne."},
        "after": {"name": "Moulin", "model": "mistral:7b", "summary": "Tourne encore."},
        "applied": False,
        "createdAt": "2026-03-19T10:00:00.000Z",
    }
    _put(data, "v2-local/persona-proposals.json", json.dumps([proposal, {**proposal, "after": 7}]))
    sessions = [{"id": "s", "username": "ana", "role": "admin", "expiresAt": "2026-03-19"}]
    _put(data, "v2-local/sessions.json", json.dumps(sessions))
    _put(data, "v2-local/torn.json", "[{")


def _judgements(data: Path) -> None:
    judged = [
        {"messageId": "m1", "response": "Oui.", "prompt": "Et ?", "vote": "up"},
        {"messageId": "m2", "response": "Non.", "prompt": "Et ?", "vote": "down"},
        {"response": "Oui.", "signal": "pin"},
        {"response": "", "vote": "up"},
    ]
    lines = [json.dumps(each) for each in judged]
    _put(data, "feedback/Schaeffer.jsonl", "\n".join([*lines, "{broken"]) + "\n")
    _put(data, "feedback/nobody.jsonl", lines[0] + "\n")


def _feedback() -> list[dict[str, object]]:
    vote = {"type": "vote", "vote": "up", "response": "Oui.", "prompt": "Et ?", "messageId": "m1"}
    base = {"personaId": MINE, "createdAt": "2026-03-19T10:00:00.000Z"}
    return [
        {**base, "id": "feedback_1", "kind": "vote", "message": json.dumps(vote)},
        {**base, "id": "feedback_2", "kind": "vote", "message": "+1 pour cette réponse"},
        {**base, "id": "feedback_3", "kind": "admin_edit", "message": "Modifiée par ana"},
        {**base, "id": "feedback_4", "kind": "odd", "message": "?"},
        {**base, "id": "feedback_5", "personaId": "gone", "kind": "vote", "message": "up"},
    ]


def _put(data: Path, name: str, content: str) -> None:
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
