"""What editors give to personas."""

from datetime import UTC, datetime

from palabre.core.editorial.model import PersonaEdit, Proposal, Wording
from palabre.core.editorial.traits import Traits, told
from palabre.kernel.ids import PersonaId

NOW = datetime(2026, 3, 20, tzinfo=UTC)
EDIT = PersonaEdit(persona_id=PersonaId("batty"), summary="a", made_at=NOW)


def test_only_what_is_given_changes_what_is_empty_as_well() -> None:
    given = Traits(summary="", enabled=False, max_tokens=0).given_to(EDIT)
    assert told(given) == {"summary": "", "enabled": False, "maxTokens": 0}
    assert Traits().given_to(EDIT) == EDIT


def test_nothing_and_something_to_change_are_told_apart() -> None:
    assert not Traits().are_given
    assert Traits(enabled=False).are_given


def test_a_proposal_gives_what_it_changes() -> None:
    before, after = Wording("Batty", "m", "a"), Wording("Batty", "n", "")
    proposal = Proposal(
        "proposal_1", EDIT.persona_id, "pharmacius", before, after, applied=False, created_at=NOW
    )
    assert Traits.changed_by(proposal) == Traits(model="n", summary="")
