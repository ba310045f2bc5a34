"""Compare what models and people write. Pure.

The words are those of the personas' language; a language without them is compared by all its
words, which merges less and rejects less.
"""

import re

from palabre.core.personas.words import folded

MAX_COMPARED_CHARS = 4000
"""Characters of a text that are looked at."""

_WORD = re.compile(r"[^\W_]+")
_ALIKE = 0.75

_EMPTY_WORDS = """
a ai ainsi alors apres as au aussi autre aux avait avec avoir bien c ca car ce cela ces cet
cette chez comme d dans de depuis des donc du elle elles en entre est et etait ete etre eu fait
font ici il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n nos notre nous
on ont ou par parce peu peut plus pour puis qu quand que quel quelle qui quoi s sa sans se ses
si soi son sont souvent sur t ta te tes toi ton toujours tous tout toute tres tu un une vers
voici voila vos votre vous y the of to and is are in has
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
# Stems of words with which a fact is told, whatever it is about.
_REPORTING_WORDS = """
utilisateur utilisatric personn interlocuteur interlocutric gen user aim ador appreci interess
interet passionn parl discut discussion demand dit dir evoqu expliqu mentionn conversation
dialogu echang sujet propo nom appell lik
"""
_REPORTING = frozenset(_REPORTING_WORDS.split())

_NEGATIVE_WORDS = """
pas jamais aucun aucune ni sans deteste detestent hait refuse evite arrete not never
"""
_NEGATIVE = frozenset(_NEGATIVE_WORDS.split())


def content(words: str) -> frozenset[str]:
    """Return the stems of the words that say what *words* is about."""
    stems = {_stem(word) for word in _words(words) if word not in _EMPTY | _NEGATIVE}
    return frozenset(stem for stem in stems if stem and stem not in _REPORTING)


def key(words: str) -> str:
    """Return *words* without case, accents, punctuation and spaces."""
    return "".join(_words(words))


def is_same_fact(one: str, other: str) -> bool:
    """Say whether both tell the same, perhaps in other words.

    What one denies and the other does not, and other numbers, are other facts.
    """
    if key(one) == key(other):
        return True
    mine, theirs = content(one), content(other)
    if _denials(one) != _denials(other) or _numbers(mine) != _numbers(theirs):
        return False
    return bool(mine) and len(mine & theirs) >= _ALIKE * len(mine | theirs)


def is_grounded(fact: str, said: frozenset[str], authors: frozenset[str]) -> bool:
    """Say whether *fact* is made of what people said.

    Args:
        fact: The sentence.
        said: The `content` of their words.
        authors: That of their names, which show nothing.
    """
    about = content(fact) - authors
    shared = about & said
    return bool(shared) and len(shared) * 3 >= len(about) and _numbers(about) <= said


def _words(words: str) -> list[str]:
    return [folded(word) for word in _WORD.findall(words[:MAX_COMPARED_CHARS])]


def _stem(word: str) -> str:
    return word if word.isdecimal() else word.rstrip("sx").rstrip("e") or word


def _denials(words: str) -> bool:
    return not _NEGATIVE.isdisjoint(_words(words))


def _numbers(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if any(map(str.isdecimal, stem)))
