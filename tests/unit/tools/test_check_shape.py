"""The shape of the house is checked, and the check can fail."""

import ast
from pathlib import Path

import pytest
from tools.check_shape import (
    Module,
    error_codes,
    error_texts,
    mirror,
    names,
    same_keys,
    sizes,
    unknown_texts,
    unused_texts,
)


def module(source: str, path: str = "src/palabre/core/chat/hub.py") -> Module:
    return Module(Path(path), source, ast.parse(source))


def test_a_module_may_have_400_lines_and_no_more() -> None:
    assert not list(sizes(module("a = 1\n" * 400)))
    assert list(sizes(module("a = 1\n" * 401))) == [
        "src/palabre/core/chat/hub.py: 401 lines, at most 400"
    ]


def test_a_function_may_have_50_lines_and_no_more() -> None:
    assert not list(sizes(module("def f():\n" + "    a = 1\n" * 49)))
    assert len(list(sizes(module("async def f():\n" + "    a = 1\n" * 50)))) == 1


@pytest.mark.parametrize("path", ["src/palabre/core/utils.py", "src/palabre/core/common/hub.py"])
def test_names_that_say_nothing_are_refused(path: str) -> None:
    assert len(list(names(module("", path)))) == 1


def test_a_module_that_decides_needs_a_test_of_its_name(tmp_path: Path) -> None:
    deciding = module("def f(a):\n    return 1 if a else 2\n")
    expected = Path("tests/unit/core/chat/test_hub.py")
    assert list(mirror(deciding, tmp_path)) == [f"src/palabre/core/chat/hub.py: no {expected}"]
    (tmp_path / expected).parent.mkdir(parents=True)
    (tmp_path / expected).touch()
    assert not list(mirror(deciding, tmp_path))


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("def f(a):\n    return a\n", "src/palabre/core/chat/hub.py"),
        ("def f(a):\n    return 1 if a else 2\n", "src/palabre/adapters/models/x.py"),
        ("def f(a):\n    return 1 if a else 2\n", "src/palabre/surfaces/rooms/tui/x.py"),
        ("def f(a):\n    return 1 if a else 2\n", "tools/x.py"),
    ],
)
def test_others_need_none(source: str, path: str, tmp_path: Path) -> None:
    assert not list(mirror(module(source, path), tmp_path))


def test_a_folder_may_be_tested_as_one_thing(tmp_path: Path) -> None:
    path = "src/palabre/app/settings/load.py"
    deciding = module("def f(a):\n    return 1 if a else 2\n", path)
    assert len(list(mirror(deciding, tmp_path))) == 1
    (tmp_path / "tests/unit/app").mkdir(parents=True)
    (tmp_path / "tests/unit/app/test_settings.py").touch()
    assert not list(mirror(deciding, tmp_path))


def test_a_protocol_is_tested_with_golden_frames(tmp_path: Path) -> None:
    deciding = module("def f(a):\n    return 1 if a else 2\n", "src/palabre/wire/rooms.py")
    (tmp_path / "tests/wire").mkdir(parents=True)
    (tmp_path / "tests/wire/test_rooms.py").touch()
    assert not list(mirror(deciding, tmp_path))


def test_a_slash_command_is_used_by_a_flow_test(tmp_path: Path) -> None:
    path = "src/palabre/features/commands/who.py"
    deciding = module("def f(a):\n    return 1 if a else 2\n", path)
    assert list(mirror(deciding, tmp_path)) == [f"{path}: no test below tests/flow says /who"]
    (tmp_path / "tests/flow/deeper").mkdir(parents=True)
    (tmp_path / "tests/flow/deeper/test_people.py").write_text('await ana.command("/who")')
    assert not list(mirror(deciding, tmp_path))


def test_both_languages_have_the_same_texts_and_placeholders() -> None:
    def needs(template: str) -> set[str]:
        return {"n"} if "{n}" in template else set()

    assert list(same_keys({"a": "{n}", "b": ""}, {"a": "", "c": ""}, needs)) == [
        "en.toml: no text for b",
        "fr.toml: no text for c",
        "a: not the same placeholders in fr.toml and en.toml",
    ]


def test_errors_and_their_texts_belong_together() -> None:
    errors = module(
        'class AError(E):\n    code = "a"\nclass BError(E):\n    code: ClassVar[str] = "b"\n'
        'class Other:\n    code = "c"\n'
    )
    codes = error_codes([errors])
    assert codes == {"a", "b"}
    assert list(error_texts(codes, ["error.a", "error.z"])) == [
        "fr.toml: no text for error.b",
        "fr.toml: error.z is no error's code",
    ]


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ('text("nick.taken")', 0),
        ('text("nick.absent")', 1),
        ('call.answer("nick.absent", nick=1)', 1),
        ('text(f"nick.{name}")', 0),
        ('text(f"nack.{name}")', 1),
        ("text(code)", 0),
    ],
)
def test_a_text_that_is_said_must_exist(source: str, wrong: int) -> None:
    assert len(list(unknown_texts(module(source), ["nick.taken"]))) == wrong


def test_a_text_that_nobody_says_is_told() -> None:
    sources = [module('text("nick.taken")\ntext(f"fix.{name}")\n')]
    known = ["nick.taken", "nick.old", "fix.a", "error.b"]
    assert list(unused_texts(sources, known)) == ["fr.toml: nobody says nick.old"]
