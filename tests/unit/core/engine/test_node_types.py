"""What every kind of node must have."""

from typing import get_args

import pytest

from palabre.core.engine.artifacts import Kind
from palabre.core.engine.model import RUNTIMES
from palabre.core.engine.node_types import FAMILIES, NodeType, ParamKind, family_title
from palabre.features import nodes
from palabre.kernel.registry import discover
from palabre.texts import say

TYPES = discover(nodes, "NODE", NodeType)


@pytest.mark.parametrize("node_type", TYPES.values(), ids=list(TYPES))
def test_each_is_described_in_both_languages(node_type: NodeType) -> None:
    texts = [node_type.title, node_type.about]
    texts += [text for each in node_type.params for text in (each.title, each.about)]
    assert all(say(text, "fr") and say(text, "en") for text in texts)


@pytest.mark.parametrize("node_type", TYPES.values(), ids=list(TYPES))
def test_each_is_whole(node_type: NodeType) -> None:
    assert node_type.runtimes and set(node_type.runtimes) <= set(RUNTIMES)
    assert node_type.family in FAMILIES
    for output in node_type.outputs:
        assert node_type.output(output.name) is output
        assert output.kind is not Kind.ANY
        assert not output.like or node_type.input(output.like)
    for port in node_type.inputs:
        assert node_type.input(port.name) is port
    for param in node_type.params:
        assert node_type.param(param.name) is param
        assert param.kind in get_args(ParamKind)
        assert (param.kind == "choice") == bool(param.choices)
        assert not param.choices or param.default in param.choices


def test_there_are_seven_families_with_names() -> None:
    assert len(FAMILIES) == 7
    assert len({say(family_title(each), "fr") for each in FAMILIES}) == 7


def test_what_is_not_there_is_none() -> None:
    node_type = TYPES["clean_text"]
    assert (node_type.input("x"), node_type.output("x"), node_type.param("x")) == (None,) * 3
