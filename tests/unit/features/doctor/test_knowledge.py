from palabre.core.telemetry.checkup import State
from palabre.features.doctor.knowledge import CHECK
from palabre.testing.surroundings import GivenSurroundings


async def test_documents_that_wait_are_a_warning_with_a_next_step() -> None:
    machine = GivenSurroundings({"knowledge": State(ok=False, detail="2")})
    finding = await CHECK.run(machine)
    assert finding.level == "warning"
    assert finding.fix is not None
    assert finding.fix.code == "doctor.knowledge.fix"


async def test_documents_that_are_found_are_good() -> None:
    assert (await CHECK.run(GivenSurroundings())).level == "good"
