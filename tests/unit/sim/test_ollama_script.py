import pytest

from palabre.sim.ollama import ScriptError, parse_script
from palabre.sim.ollama.demo import improvise
from palabre.sim.ollama.embedding import embed
from palabre.sim.ollama.performance import words
from palabre.sim.ollama.script import Answer, spoken, with_tag

SCHAEFFER = "Tu es Pierre Schaeffer, ingénieur et musicien."


def test_every_mistake_of_a_script_is_told_at_once() -> None:
    source = """
    tokens_per_s = 0
    [[answer]]
    wen = "Xenakis"
    [[answer]]
    error = "explode"
    when_regex = "("
    [[answer]]
    text = "a"
    tokens = ["a"]
    """
    with pytest.raises(ScriptError) as caught:
        parse_script(source)
    told = "\n".join(caught.value.problems)
    assert "tokens_per_s: " in told
    assert "answer[1].wen: " in told
    assert "(perhaps when)" in told
    assert "answer[2].error: " in told
    assert "answer[3]: " in told
    assert "exclude each other" in told


def test_a_regex_that_is_none_is_told() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script('[[answer]]\nwhen_regex = "("')
    assert "when_regex" in caught.value.problems[0]


def test_text_that_is_not_toml_is_one_mistake() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script("= what")
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        (Answer(), True),
        (Answer(when="XENAKIS"), True),
        (Answer(when="Boulez"), False),
        (Answer(when_regex=r"penses-tu de \w+"), True),
        (Answer(when_regex=r"^Xenakis"), False),
        (Answer(persona="schaeffer"), True),
        (Answer(persona="Batty"), False),
        (Answer(model="mistral:7b"), False),
        (Answer(model="qwen3:8b", when="Xenakis", persona="Schaeffer"), True),
        (Answer(model="qwen3:8b", when="Boulez", persona="Schaeffer"), False),
    ],
)
def test_a_rule_fits_when_all_its_conditions_do(rule: Answer, fits: bool) -> None:
    user = "Bonjour, que penses-tu de Xenakis ?"
    assert rule.fits(model="qwen3:8b", system=SCHAEFFER, user=user) is fits


@pytest.mark.parametrize(
    "message",
    [
        "Et Xenakis ?\n\nDis-moi.",
        "Et Xenakis ?\n\nDis-moi.\n\n[Conversation du canal]\nAnna: Boulez\n\nencore",
    ],
)
def test_background_after_the_words_is_not_what_was_said(message: str) -> None:
    assert spoken(message) == "Et Xenakis ?\n\nDis-moi."


def test_background_before_the_words_is_not_what_was_said() -> None:
    assert spoken("[Conversation du canal]\nAnna: Boulez\n\nEt Xenakis ?") == "Et Xenakis ?"


def test_a_model_without_a_tag_means_latest() -> None:
    assert with_tag("nomic-embed-text") == "nomic-embed-text:latest"
    assert with_tag("host:80/nomic-embed-text") == "host:80/nomic-embed-text:latest"
    assert with_tag("qwen3:8b") == "qwen3:8b"


@pytest.mark.parametrize("text", ["Xenakis a dit", "  un\n\ndeux ", "", "mot", "a\u2028b c"])
def test_words_put_together_are_the_text(text: str) -> None:
    assert "".join(words(text)) == text


def test_the_improvised_answer_is_about_what_was_said_and_not_about_the_mention() -> None:
    answer = improvise(SCHAEFFER, "Bonjour @Schaeffer, que penses-tu de Xenakis ?")
    assert "« Xenakis »" in answer
    assert "Bonjour" not in answer
    assert answer == improvise(SCHAEFFER, "Bonjour @Schaeffer, que penses-tu de Xenakis ?")


def test_something_is_improvised_about_nothing() -> None:
    assert improvise("", "") != ""


def test_equal_texts_have_equal_unit_vectors_and_kin_are_nearer_than_strangers() -> None:
    cat, kitten, train = (
        embed(text, 256)
        for text in ("le chat dort", "le petit chat dort", "un train passe au loin")
    )
    assert cat == embed("Le chat dort", 256)
    assert sum(number * number for number in cat) == pytest.approx(1)
    assert _cosine(cat, kitten) > 0.5 > _cosine(cat, train)


@pytest.mark.parametrize("text", ["", " ", "\ud800", "a b c d e f"])
def test_every_text_has_a_vector_even_a_short_one(text: str) -> None:
    assert sum(number * number for number in embed(text, 2)) == pytest.approx(1)


def _cosine(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
