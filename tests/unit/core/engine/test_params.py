"""What was entered at a node."""

from palabre.core.engine.node_types import NodeType, Param
from palabre.core.engine.params import checked
from palabre.core.engine.step import Done, StepCall, StepContext
from palabre.core.engine.validation import Fault
from palabre.core.tools.model import Json
from palabre.texts import say


async def _run(call: StepCall, context: StepContext) -> Done:
    return Done(())


TRAINING = NodeType(
    "training",
    "training",
    _run,
    params=(
        Param("base", "text", required=True, max_chars=10),
        Param("lr", "number", 2e-4, least=1e-7, most=1),
        Param("epochs", "integer", 3, least=1, most=100),
        Param("quantize", "boolean", default=False),
        Param("method", "choice", "lora", choices=("lora", "qlora")),
        Param("prompts", "texts"),
    ),
)


def codes(**given: Json) -> list[tuple[str, str]]:
    _, faults = checked(TRAINING, {"base": "tiny", **given})
    return [(each.param, each.code) for each in faults]


def test_nothing_becomes_the_default() -> None:
    values, faults = checked(TRAINING, {"base": " tiny "})
    assert not faults
    assert values == {
        "base": "tiny", "lr": 2e-4, "epochs": 3, "quantize": False, "method": "lora", "prompts": None,
    }  # fmt: skip


def test_what_is_no_number_becomes_the_default() -> None:
    for given in ("many", None, "", True, [], "nan", "inf", 2.5, 10**400):
        values, faults = checked(TRAINING, {"base": "tiny", "epochs": given})
        assert (values["epochs"], faults) == (3, ())


def test_numbers_may_be_written_as_texts() -> None:
    values, _ = checked(TRAINING, {"base": "tiny", "epochs": "12", "lr": "1e-3"})
    assert (values["epochs"], values["lr"]) == (12, 1e-3)


def test_numbers_out_of_bounds_are_faults() -> None:
    assert codes(epochs=0) == [("epochs", "param_least")]
    assert codes(epochs=101, lr=1.5) == [("lr", "param_most"), ("epochs", "param_most")]
    assert codes(epochs=1, lr=1e-7) == codes(epochs=100, lr=1) == []


def test_small_bounds_are_told_in_full() -> None:
    _, (fault,) = checked(TRAINING, {"base": "tiny", "lr": 0})
    assert fault.data == {"least": "0.0000001"}


def test_what_is_required_must_be_there() -> None:
    for base in ("", "  ", None):
        assert codes(base=base) == [("base", "param_missing")]


def test_other_kinds_and_choices_are_faults() -> None:
    assert codes(base=3) == [("base", "param_kind")]
    assert codes(quantize="maybe") == [("quantize", "param_kind")]
    assert codes(method="dpo") == [("method", "param_choice")]
    assert codes(base="x" * 11) == [("base", "param_long")]
    assert codes(prompts=[1]) == [("prompts", "param_kind")]
    assert codes(prompts=["x"] * 101) == [("prompts", "param_long")]
    assert codes(colour="red") == [("colour", "param_unknown")]


def test_several_texts_may_be_lines() -> None:
    values, _ = checked(TRAINING, {"base": "tiny", "prompts": "un\n\n deux ", "quantize": "true"})
    assert (values["prompts"], values["quantize"]) == (["un", "deux"], True)


def test_each_fault_has_its_text() -> None:
    given: dict[str, Json] = {"lr": 7, "epochs": 0, "method": "x", "quantize": "x", "odd": 1}
    _, faults = checked(TRAINING, given)
    assert len(faults) == 6
    for each in faults:
        told = Fault(each.code, "n1", None, each.param, each.data).text
        assert each.param in say(told, "fr") and each.param in say(told, "en")
