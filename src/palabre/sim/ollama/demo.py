"""Answers for a demonstration without a script: French, about the user's words, in a manner."""

import re
import zlib

_NAME = re.compile(r"(?:tu es|vous êtes|you are)\s+([^,.;:(\n]{2,60})", re.IGNORECASE)
_MENTION = re.compile(r"@[\w-]+")
_WORD = re.compile(r"[^\W\d_][\w'’-]{3,}")
_DULL = frozenset(
    re.findall(
        r"\S+",
        """
        avec bien bonjour bonsoir cela cette comme comment crois crois-tu dans dire dites donc elle
        elles encore entre est-ce être fait faut leur leurs mais même nous parle pense penses
        penses-tu peut peux plus pour pourquoi quand quel quelle quelles quelque quels qu'est-ce
        quoi salut sans sont suis sujet toujours tous tout toute veux votre vous
        about hello tell think what which with your
        """,
    )
)

_OPENINGS = (
    "{words}, dites-vous. Avant d'en parler, je voudrais l'écouter longtemps, les yeux fermés.",
    "Vous me parlez de {words}, et je sens déjà tout ce que le mot cache sous lui.",
    "{words} : voilà une porte entrouverte. Poussons-la ensemble, sans faire grincer les gonds.",
    "On croit connaître {words}, puis on s'approche, et tout redevient étranger.",
)
_TURNS = (
    "Ce qui compte n'est pas la chose elle-même, mais la manière dont elle dure en nous.",
    "J'y reviens souvent, et chaque fois un détail que je n'avais pas entendu change le reste.",
    "Il faudrait en garder un fragment, le répéter, jusqu'à ce qu'il cesse de vouloir dire.",
    "C'est une matière vivante : elle résiste, elle fuit, et c'est ainsi qu'elle nous apprend.",
)
_ENDINGS = (
    "Et vous, qu'entendez-vous quand tout le monde se tait ?",
    "Dites-m'en davantage : je n'ai encore saisi que le bord.",
    "Voilà, pour {name}, où la question commence vraiment.",
    "Le reste, je le laisse à votre oreille.",
)


def improvise(system: str, user: str) -> str:
    """Return three sentences of whoever *system* describes, about the words of *user*."""
    name = _name(system)
    words = _subject(user)
    number = zlib.crc32(f"{name}\n{user}".encode())
    parts = (
        _OPENINGS[number % 4],
        _TURNS[number // 4 % 4],
        _ENDINGS[number // 16 % 4],
    )
    told = " ".join(parts).format(name=name, words=words)
    return told[0].upper() + told[1:]


def _name(system: str) -> str:
    found = _NAME.search(system)
    return found.group(1).strip() if found else "moi"


def _subject(user: str) -> str:
    """Return the one or two words that carry most, in their order."""
    said = _WORD.findall(_MENTION.sub(" ", user))
    telling = [word for word in said if word.casefold() not in _DULL]
    kept = sorted(set(telling), key=lambda word: (not word[0].isupper(), -len(word)))[:2]
    kept.sort(key=telling.index)
    return " et ".join(f"« {word} »" for word in kept) or "ce silence"
