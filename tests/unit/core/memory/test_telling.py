from datetime import UTC, datetime

from palabre.core.memory.model import Memory
from palabre.core.memory.telling import memory_page
from palabre.kernel.ids import Nick
from palabre.texts import say


def test_the_page_is_that_of_the_contract() -> None:
    at = datetime(2026, 3, 15, 14, 22, tzinfo=UTC)
    assert say(memory_page(Nick("Schaeffer"), Memory(("Un", "Deux"), "Discussion", at))) == (
        "=== Memoire de Schaeffer ===\n\nFaits retenus (2):\n  1. Un\n  2. Deux\n\n"
        "Resume: Discussion\n\nDerniere mise a jour: 2026-03-15T14:22:00.000Z"
    )


def test_an_empty_memory_has_a_page_too() -> None:
    page = say(memory_page(Nick("Schaeffer"), Memory()))
    assert "Faits retenus (0):\n  (aucun)" in page
    assert page.endswith("Derniere mise a jour: jamais")
