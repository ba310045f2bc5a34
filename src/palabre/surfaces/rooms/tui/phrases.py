"""Sentences of the server that a client has to understand, in French and English.

Seed 000 gives them as text alone; §5.2, §5.7 and §13.2 have the French words.
"""

import re

_MY_NICK = re.compile(r"^\*\*\*\s+(?:Ton nick|Your nick)\s?: (\S+)$", re.MULTILINE)
_RENAMED = re.compile(r"(\S+) (?:est maintenant connu\(e\) comme|is now known as) (\S+?)\.?")
_TYPING = re.compile(r"(\S+) (?:est en train d[’'][eé]crire|is (?:typing|writing))(?:\.\.\.|…)")
_REPLAY_STARTS = re.compile(r"--- (?:Historique r[eé]cent|Recent history) ---")
_REPLAY_ENDS = re.compile(r"--- (?:Fin de l[’']historique|End of (?:the )?history) ---")
_REPLAYED = re.compile(r"\[(\d\d:\d\d)\] (.*)", re.DOTALL)

_REFUSED = re.compile(r"(?:Trop de messages|Too many messages|Message invalide|Invalid message)\b")


_SESSION_ENDS = re.compile(r"(?:Votre session est terminée|Your session has ended)\b")


def my_nick(motd: str) -> str | None:
    """Return the nick that the greeting tells us, or None."""
    found = _MY_NICK.search(motd)
    return found[1] if found else None


def renamed(text: str) -> tuple[str, str] | None:
    """Return old and new nick when *text* announces a change."""
    found = _RENAMED.fullmatch(text)
    return (found[1], found[2]) if found else None


def typing_nick(text: str) -> str | None:
    """Return who is writing, when *text* says so."""
    found = _TYPING.fullmatch(text)
    return found[1] if found else None


def starts_replay(text: str) -> bool:
    """Return whether *text* opens the history replay."""
    return _REPLAY_STARTS.fullmatch(text) is not None


def ends_replay(text: str) -> bool:
    """Return whether *text* closes the history replay."""
    return _REPLAY_ENDS.fullmatch(text) is not None


def replayed(text: str) -> tuple[str, str] | None:
    """Return hour and words of a replayed message, when it carries an hour."""
    found = _REPLAYED.fullmatch(text)
    return (found[1], found[2]) if found else None


def is_refusal(text: str) -> bool:
    """Return whether the server took nothing of what was sent last."""
    return _REFUSED.match(text) is not None


def ends_session(text: str) -> bool:
    """Return whether *text* announces that our session is over."""
    return _SESSION_ENDS.match(text) is not None


def speaks_of(text: str, nick: str) -> bool:
    """Return whether a line of the server begins with *nick*, as `Batty: erreur Ollama` does."""
    return text.startswith((f"{nick}:", f"{nick} "))


def mentions(text: str, nick: str) -> bool:
    """Return whether *text* calls *nick*: `@nick`, or the bare word when it is not too short."""
    at = "@?" if len(nick) >= 3 else "@"  # noqa: PLR2004 - "a" or "on" are words
    return re.search(rf"(?<![\w@]){at}{re.escape(nick)}(?!\w)", text, re.IGNORECASE) is not None
