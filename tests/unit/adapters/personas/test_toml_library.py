import logging
from pathlib import Path

import pytest

from palabre.adapters.personas.toml_library import TomlPersonaLibrary
from palabre.core.personas.errors import PersonaFilesError, Problem
from palabre.core.personas.model import Cast, Example, Persona, TopicRule
from palabre.texts import LANGUAGES, say

FULL = """
nick = "Jardinière"
color = "#4FC3F7"
model = "qwen3:8b"
voice = "fr_FR-siwis-medium"
tools = ["rag_search"]
max_tokens = 400
order = 5
summary = "Elle arrose."
prompt = \"\"\"
Tu es jardinière.
Tu arroses.
\"\"\"
short_prompt = "Tu es jardinière."

[[examples]]
question = "Qui es-tu ?"
answer = "J'arrose."
"""


def minimal(nick: str, /, **keys: str) -> str:
    values = {"nick": f'"{nick}"', "color": '"#4fc3f7"', "model": '"m"', "prompt": '"Tu es."'}
    return "\n".join(f"{key} = {value}" for key, value in (values | keys).items())


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


async def load(*directories: Path, topics: Path | None = None) -> Cast:
    return await TomlPersonaLibrary(directories, topics).load()


async def problems_of(*directories: Path, topics: Path | None = None) -> tuple[Problem, ...]:
    """Return the mistakes, whether anybody is left or not."""
    try:
        return (await load(*directories, topics=topics)).problems
    except PersonaFilesError as error:
        return error.problems


async def problems_in(tmp_path: Path, content: str | bytes) -> tuple[Problem, ...]:
    write(tmp_path / "somebody.toml", content)
    return await problems_of(tmp_path)


async def codes_in(tmp_path: Path, content: str | bytes) -> list[str]:
    return [problem.code for problem in await problems_in(tmp_path, content)]


async def test_a_file_becomes_a_persona(tmp_path: Path) -> None:
    write(tmp_path / "jardin.toml", FULL)
    assert (await load(tmp_path)).personas == (
        Persona(
            id="jardin",
            nick="Jardinière",
            color="#4fc3f7",
            model="qwen3:8b",
            summary="Elle arrose.",
            prompt="Tu es jardinière.\nTu arroses.",
            short_prompt="Tu es jardinière.",
            examples=(Example("Qui es-tu ?", "J'arrose."),),
            voice="fr_FR-siwis-medium",
            tools=("rag_search",),
            max_tokens=400,
        ),
    )


async def test_personas_come_in_their_order_and_then_by_id(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", minimal("Last"))
    write(tmp_path / "c.toml", minimal("First", order="1"))
    write(tmp_path / "b.toml", minimal("Third", order="2"))
    write(tmp_path / "aa.toml", minimal("Second", order="2"))
    nicks = [persona.nick for persona in (await load(tmp_path)).personas]
    assert nicks == ["First", "Second", "Third", "Last"]


async def test_a_later_directory_replaces_and_adds(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.toml", minimal("Ancien"))
    write(tmp_path / "one" / "b.toml", minimal("Reste"))
    write(tmp_path / "two" / "a.toml", minimal("Nouveau"))
    write(tmp_path / "two" / "c.toml", minimal("Ajout"))
    cast = await load(tmp_path / "one", tmp_path / "two")
    assert [persona.nick for persona in cast.personas] == ["Nouveau", "Reste", "Ajout"]


async def test_a_file_that_is_replaced_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.toml", "nonsense")
    write(tmp_path / "two" / "a.toml", minimal("Nouveau"))
    cast = await load(tmp_path / "one", tmp_path / "two")
    assert [persona.nick for persona in cast.personas] == ["Nouveau"]


async def test_enabled_false_removes_a_persona_and_needs_no_other_key(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.toml", minimal("Ancien"))
    write(tmp_path / "two" / "a.toml", "enabled = false")
    assert (await load(tmp_path / "one", tmp_path / "two")).personas == ()


async def test_single_files_win_over_directories(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.toml", minimal("Ancien"))
    draft = write(tmp_path / "draft" / "a.toml", minimal("Brouillon"))
    cast = await TomlPersonaLibrary([tmp_path / "one"], None, [draft]).load()
    assert [persona.nick for persona in cast.personas] == ["Brouillon"]


async def test_files_are_read_anew_at_each_load(tmp_path: Path) -> None:
    library = TomlPersonaLibrary([tmp_path])
    assert (await library.load()).personas == ()
    write(tmp_path / "a.toml", minimal("Venu"))
    assert [persona.nick for persona in (await library.load()).personas] == ["Venu"]


async def test_missing_places_hold_nothing_and_are_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library = TomlPersonaLibrary([tmp_path / "none"], tmp_path / "none.toml")
    with caplog.at_level(logging.DEBUG):
        assert await library.load() == Cast(())
        assert await library.load() == Cast(())
    assert len(caplog.records) == 2


async def test_hidden_files_folders_and_other_files_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path / ".a.toml", "nonsense")
    write(tmp_path / "a.toml~", "nonsense")
    (tmp_path / "folder.toml").mkdir()
    assert (await load(tmp_path)).personas == ()


async def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", minimal("x", colour='"red"', color='"red"'))
    write(tmp_path / "b.toml", "= 3")
    write(tmp_path / "c.toml", 'nick = "Seul"')
    topics = write(tmp_path / "topics" / "t.toml", "topics = 3")
    found = [(Path(p.file).name, p.code) for p in await problems_of(tmp_path, topics=topics)]
    assert found == [
        ("a.toml", "unknown_key_near"),
        ("a.toml", "bad_nick"),
        ("a.toml", "bad_color"),
        ("b.toml", "not_toml"),
        ("c.toml", "missing_key"),
        ("c.toml", "missing_key"),
        ("c.toml", "missing_key"),
        ("t.toml", "bad_topics"),
    ]


async def test_files_with_mistakes_are_left_out_and_the_others_speak(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", minimal("Alba", colour='"#ffffff"'))
    write(tmp_path / "b.toml", minimal("Bela"))
    topics = write(tmp_path / "topics" / "t.toml", "topics = 3")
    cast = await load(tmp_path, topics=topics)
    assert [persona.nick for persona in cast.personas] == ["Bela"]
    assert [Path(problem.file).name for problem in cast.problems] == ["a.toml", "t.toml"]


async def test_a_nick_that_is_taken_is_told_beside_the_files_other_mistakes(
    tmp_path: Path,
) -> None:
    write(tmp_path / "a.toml", minimal("Batty", color='"red"'))
    write(tmp_path / "b.toml", minimal("Batty"))
    cast = await load(tmp_path)
    assert [persona.id for persona in cast.personas] == ["b"]
    assert [problem.code for problem in cast.problems] == ["bad_color", "same_nick"]


async def test_who_comes_later_does_not_take_the_name_of_one_who_was_there(
    tmp_path: Path,
) -> None:
    write(tmp_path / "one" / "z.toml", minimal("Batty", order="9"))
    write(tmp_path / "two" / "a.toml", minimal("Batty", order="1"))
    cast = await load(tmp_path / "one", tmp_path / "two")
    assert [persona.id for persona in cast.personas] == ["z"]
    assert [Path(problem.file).name for problem in cast.problems] == ["a.toml"]


async def test_the_error_lists_file_and_reason_line_by_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.toml", minimal("Alba", colour='"#ffffff"', x="1"))
    with pytest.raises(PersonaFilesError) as caught:
        await load(tmp_path)
    assert caught.value.data == {
        "count": 2,
        "problems": f"{path}: unknown_key_near key=colour nearest=color\n{path}: unknown_key key=x",
    }
    said = say(caught.value.text, "fr").splitlines()
    assert said[1] == f"{path} : la clé colour est inconnue. Vouliez-vous dire color ?"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nick", '"a"'),
        ("nick", '"' + "a" * 25 + '"'),
        ("nick", '"deux mots"'),
        ("nick", '"Nom\\n"'),
        ("nick", "7"),
        ("color", '"#fff"'),
        ("color", '"#4fc3f7\\n"'),
        ("model", '""'),
        ("prompt", '"  \\n "'),
        ("prompt", '"' + "a" * 8001 + '"'),
        ("summary", '"deux\\nlignes"'),
        ("summary", '"\\u001b[31m"'),
        ("short_prompt", '"' + "a" * 1001 + '"'),
        ("examples", '[{question = "?"}]'),
        ("examples", '[{question = "?", answer = "!", anwser = "!"}]'),
        ("examples", '[{question = "?", answer = " "}]'),
        ("voice", "3"),
        ("tools", '"rag_search"'),
        ("tools", '["Rag Search"]'),
        ("tools", '["mcp:*"]'),
        ("tools", '["mcp:*/*"]'),
        ("tools", '["mcp:lab/a b"]'),
        ("tools", '["mcp:lab/re*"]'),
        ("max_tokens", "0"),
        ("max_tokens", "true"),
        ("order", "-1"),
        ("enabled", "1"),
    ],
)
async def test_a_bad_value_is_named_by_its_key_in_every_language(
    tmp_path: Path, key: str, value: str
) -> None:
    problems = await problems_in(tmp_path, minimal("Nom", **{key: value}))
    assert [problem.code for problem in problems] == [f"bad_{key}"]
    assert all(key in say(problems[0].text, language) for language in LANGUAGES)


async def test_a_file_that_is_not_utf8_is_told_the_line(tmp_path: Path) -> None:
    problems = await problems_in(tmp_path, b'nick = "Nom"\nsummary = "\xe9t\xe9"\n')
    assert [(problem.code, problem.data) for problem in problems] == [("not_utf8", {"line": 2})]


async def test_a_byte_order_mark_is_forgiven(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", b"\xef\xbb\xbf" + minimal("Nom").encode())
    assert len((await load(tmp_path)).personas) == 1


@pytest.mark.parametrize(
    "content",
    ["nick", "a = " + "[" * 5000, "order = " + "9" * 5000, 'nick = "a"\nnick = "b"', "\0"],
)
async def test_what_is_not_toml_is_said_so(tmp_path: Path, content: str) -> None:
    assert await codes_in(tmp_path, content) == ["not_toml"]


async def test_a_file_of_64_kib_is_read_and_a_larger_one_refused(tmp_path: Path) -> None:
    text = minimal("Nom") + "\n#"
    full = text + "x" * (64 * 1024 - len(text))
    write(tmp_path / "somebody.toml", full)
    assert len((await load(tmp_path)).personas) == 1
    assert await codes_in(tmp_path, full + "x") == ["too_large"]


async def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(PersonaFilesError) as caught:
        await TomlPersonaLibrary([], None, [tmp_path / "gone.toml"]).load()
    assert [problem.code for problem in caught.value.problems] == ["unreadable"]


@pytest.mark.parametrize("name", ["Nom.toml", "é.toml", "a b.toml", "-a.toml"])
async def test_a_file_name_that_is_no_id_is_a_problem(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, minimal("Nom"))
    assert [problem.code for problem in await problems_of(tmp_path)] == ["bad_id"]


async def test_nicks_differ_by_more_than_case(tmp_path: Path) -> None:
    write(tmp_path / "a.toml", minimal("Éole"))
    write(tmp_path / "b.toml", minimal("ÉOLE"))
    problem, *more = await problems_of(tmp_path)
    assert (problem.code, problem.data["other"], more) == (
        "same_nick",
        str(tmp_path / "a.toml"),
        [],
    )


@pytest.mark.parametrize(
    ("one", "other"), [("Isa", "lsa"), ("Moorcock", "rnoorcock"), ("O0", "OO")]
)
async def test_nicks_that_look_alike_are_refused_as_those_of_people_are(
    tmp_path: Path, one: str, other: str
) -> None:
    write(tmp_path / "a.toml", minimal(one))
    write(tmp_path / "b.toml", minimal(other))
    assert [problem.code for problem in await problems_of(tmp_path)] == ["same_nick"]


@pytest.mark.parametrize(
    ("content", "nick"), [("", "Pharmacius"), ('dispatcher = "Turing"', "Turing")]
)
async def test_the_topics_name_the_dispatcher(tmp_path: Path, content: str, nick: str) -> None:
    topics = write(tmp_path / "topics.toml", content)
    assert (await load(topics=topics)).dispatcher == nick


async def test_a_dispatcher_that_is_no_name_is_a_problem(tmp_path: Path) -> None:
    topics = write(tmp_path / "topics.toml", "dispatcher = 3")
    (problem,) = await problems_of(topics=topics)
    assert problem.code == "bad_dispatcher"
    assert all(say(problem.text, language) for language in LANGUAGES)


async def test_topics_become_rules_with_folded_words(tmp_path: Path) -> None:
    topics = write(
        tmp_path / "topics.toml",
        '[[topics]]\ntopic = "code"\nnicks = ["Turing"]\nwords = ["Débogage", "bug"]',
    )
    assert (await load(topics=topics)).topics == (
        TopicRule("code", frozenset({"debogage", "bug"}), ("Turing",)),
    )


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ('topic = "x"\nnicks = ["Nom"]\nwords = ["deux mots"]', "bad_words"),
        ('topic = "x"\nnicks = ["Nom"]\nwords = []', "bad_words"),
        ('topic = "x"\nnicks = []\nwords = ["mot"]', "bad_nicks"),
        ('topic = ""\nnicks = ["Nom"]\nwords = ["mot"]', "bad_topic"),
        ('topic = "x"\nwords = ["mot"]', "missing_key"),
        ('topic = "x"\nnicks = ["Nom"]\nwords = ["mot"]\nword = 1', "unknown_key_near"),
    ],
)
async def test_bad_topic_rules_are_named(tmp_path: Path, rule: str, code: str) -> None:
    topics = write(tmp_path / "topics.toml", f"[[topics]]\n{rule}")
    problems = await problems_of(topics=topics)
    assert [problem.code for problem in problems] == [code]
    assert all(say(problems[0].text, language) for language in LANGUAGES)


async def test_a_list_of_tools_may_name_those_of_mcp_servers(tmp_path: Path) -> None:
    listed = ("rag_search", "mcp:lab/*", "mcp:clock-2/get_current_time", "mcp:x/odd.name/é")
    names = ", ".join(f'"{name}"' for name in listed)
    write(tmp_path / "somebody.toml", minimal("Nom", tools=f"[{names}]"))
    assert (await load(tmp_path)).personas[0].tools == listed
