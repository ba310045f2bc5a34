"""From how a thing is to what is said about it."""

from palabre.core.telemetry.checkup import Finding, State, judge
from palabre.kernel.text import text


def test_what_is_well_needs_no_fix() -> None:
    found = judge("port", State(ok=True, detail="here"))
    assert found == Finding("good", text("doctor.port.good", detail="here"))


def test_what_is_not_well_is_a_failure_with_its_fix() -> None:
    found = judge("port", State(ok=False, detail="why"))
    assert found.level == "failure"
    assert found.found == text("doctor.port.bad", detail="why")
    assert found.fix == text("doctor.port.fix", detail="why")


def test_a_check_may_take_it_more_lightly() -> None:
    assert judge("port", State(ok=False), otherwise="warning").level == "warning"
