"""One question to one model, with the time it took."""

from palabre.app.model_trial import try_model
from palabre.core.models.registry import ModelRegistry
from palabre.testing.clock import FrozenClock
from palabre.testing.models import Answer, ScriptedProvider


async def test_the_answer_is_shown_piece_by_piece_and_timed() -> None:
    clock, shown = FrozenClock(), list[str]()
    provider = ScriptedProvider(Answer(("Bon", "jour")))
    registry = ModelRegistry(
        [provider], default_model="parrot", default_provider="scripted", clock=clock
    )

    def show(piece: str) -> None:
        shown.append(piece)
        clock.advance(2)

    resolved = await registry.resolve("absent")
    trial = await try_model(registry, resolved, "Bonjour ?", clock, show)
    assert shown == ["Bon", "jour"]
    assert trial.answer == "Bonjour"
    assert trial.total_s == 4
    data = trial.as_data()
    assert (data["asked"], data["model"], data["substituted"]) == (
        "absent",
        "scripted/parrot",
        True,
    )
