"""One table knows every figure, and the code counts nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import palabre
from palabre.core.telemetry.metrics import METRICS, metric

TYPES = {"count": "counter", "observe": "histogram", "set": "gauge"}


def told() -> Iterator[tuple[str, str]]:
    """Yield each name that the program gives to a telemetry, with the type it is used as."""
    for path in sorted(Path(str(palabre.__file__)).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _tells(node.func) and node.args:
                name = node.args[0]
                if isinstance(name, ast.Constant):
                    yield str(name.value), TYPES[node.func.attr]  # type: ignore[attr-defined]


def _tells(function: ast.expr) -> bool:
    if not isinstance(function, ast.Attribute) or function.attr not in TYPES:
        return False
    return ast.unparse(function.value).lower().endswith("telemetry")


def test_the_code_counts_only_what_the_table_knows() -> None:
    used = set(told())
    assert len(used) > 5
    assert used <= {(each.name, each.type) for each in METRICS.values()}


@pytest.mark.parametrize("name", METRICS)
def test_every_figure_has_its_help_and_its_unit(name: str) -> None:
    figure = METRICS[name]
    assert figure.help.endswith(".")
    assert name.endswith(figure.unit)
    assert figure.unit or figure.type == "counter"


@pytest.mark.parametrize(
    ("name", "kind", "label"),
    [
        ("no_such_figure", "counter", ""),
        ("loop_held_up", "gauge", ""),
        ("loop_held_up", "counter", "unexpected"),
        ("frames_dropped", "counter", ""),
    ],
)
def test_what_the_table_does_not_know_is_an_error(name: str, kind: str, label: str) -> None:
    with pytest.raises(LookupError, match=name):
        metric(name, kind, label)  # type: ignore[arg-type]
