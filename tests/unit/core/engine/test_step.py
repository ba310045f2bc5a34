"""What a step is asked."""

import pytest

from palabre.core.engine.artifacts import Artifact, Kind
from palabre.core.engine.model import NodeId, RunId
from palabre.core.engine.step import StepCall

PARAMS = {"base": "tiny", "lr": 0.5, "quantize": True, "none": None}
DATASET = Artifact("r", "s", "dataset", Kind.DATASET)


def a_call(attempt: int = 1) -> StepCall:
    inputs = {"dataset": [DATASET]}
    return StepCall(RunId("run_1"), NodeId("n1"), "local_cpu", "lea", PARAMS, inputs, attempt)


def test_params_are_read_by_their_kind() -> None:
    call = a_call()
    assert (call.words("base"), call.words("none"), call.words("lr")) == ("tiny", "", "")
    assert (call.is_on("quantize"), call.is_on("base")) == (True, False)
    assert call.number("lr") == 0.5
    for name in ("quantize", "base", "absent"):
        with pytest.raises(KeyError):
            call.number(name)


def test_an_input_is_given_or_an_error() -> None:
    assert a_call().given("dataset") is DATASET
    with pytest.raises(KeyError):
        a_call().given("model")


def test_what_a_step_does_outside_has_one_name_in_every_attempt() -> None:
    assert a_call(1).once == a_call(2).once == "run_1/n1"
