import pytest

from palabre.app.settings import Settings, SettingsError, load_settings
from palabre.app.settings.memory import MemorySettings
from palabre.core.memory.model import MemoryPolicy
from palabre.texts import say

PREFIX = "KXKM_PERSONA_MEMORY_"
ALIASES = {
    "UPDATE_EVERY": 7,
    "EXTRACTION_MIN_FACTS": 1,
    "EXTRACTION_MAX_FACTS": 3,
    "EXTRACTION_WINDOW": 8,
    "FACTS_LIMIT": 9,
    "SOURCE_MESSAGES_LIMIT": 4,
    "ARCHIVAL_FACTS_LIMIT": 60,
    "ARCHIVAL_SUMMARIES_LIMIT": 30,
    "COMPAT_FACTS_LIMIT": 6,
}


def load(tmp_path, **variables: object) -> Settings:
    environ = {PREFIX + name: str(value) for name, value in variables.items()}
    return load_settings(environ={"HOME": str(tmp_path), **environ}, cwd=tmp_path).settings


def test_unset_is_what_the_contract_says() -> None:
    assert Settings().memory.policy == MemoryPolicy()
    policy = MemoryPolicy()
    assert (policy.update_every, policy.window, policy.working_facts) == (5, 10, 20)
    assert (policy.archive_facts, policy.archive_summaries, policy.compat_facts) == (100, 50, 20)


def test_the_variables_of_the_earlier_program_are_read(tmp_path) -> None:
    policy = load(tmp_path, **ALIASES).memory.policy
    assert policy == MemoryPolicy(
        update_every=7,
        window=8,
        min_facts=1,
        max_facts=3,
        working_facts=9,
        source_messages=4,
        archive_facts=60,
        archive_summaries=30,
        compat_facts=6,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("UPDATE_EVERY", 0),
        ("UPDATE_EVERY", 501),
        ("UPDATE_EVERY", "cinq"),
        ("EXTRACTION_WINDOW", 201),
        ("FACTS_LIMIT", 501),
        ("SOURCE_MESSAGES_LIMIT", 201),
        ("ARCHIVAL_FACTS_LIMIT", 2001),
        ("ARCHIVAL_SUMMARIES_LIMIT", 501),
    ],
)
def test_what_is_out_of_bounds_or_no_number_is_told_at_once(tmp_path, name, value) -> None:
    with pytest.raises(SettingsError) as refused:
        load(tmp_path, **{name: value})
    assert PREFIX + name in say(refused.value.text)


@pytest.mark.parametrize(
    "pair",
    [
        {"FACTS_LIMIT": 5, "EXTRACTION_MAX_FACTS": 6},
        {"EXTRACTION_MAX_FACTS": 2, "EXTRACTION_MIN_FACTS": 3},
        {"FACTS_LIMIT": 5, "COMPAT_FACTS_LIMIT": 6},
    ],
)
def test_two_limits_that_contradict_each_other_are_told(tmp_path, pair) -> None:
    with pytest.raises(SettingsError):
        load(tmp_path, **pair)


def test_a_limit_that_was_not_set_follows_the_one_that_was() -> None:
    policy = MemorySettings(working_facts=3).policy
    assert (policy.max_facts, policy.compat_facts) == (3, 3)
