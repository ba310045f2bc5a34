"""Every problem of every persona file is told, in a log and to people."""

from palabre.core.personas.errors import PersonaFilesError, Problem

PROBLEMS = [Problem("a.toml", "nick", {"nick": "B b"}), Problem("b.toml", "syntax")]


def test_a_log_gets_a_line_a_problem_with_its_values() -> None:
    error = PersonaFilesError(PROBLEMS)
    assert error.data["count"] == 2
    assert error.data["problems"] == "a.toml: nick nick=B b\nb.toml: syntax"


def test_people_get_a_text_a_problem_that_names_the_file() -> None:
    told = PersonaFilesError(PROBLEMS).text
    assert told.code == "error.persona_files"
    first, second = told.data["problems"]
    assert first.code == "persona.problem.nick"
    assert first.data == {"file": "a.toml", "nick": "B b"}
    assert second.data == {"file": "b.toml"}
