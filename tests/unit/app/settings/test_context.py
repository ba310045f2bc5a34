from palabre.app.settings import Settings
from palabre.app.settings.context import ContextSettings
from palabre.core.chat.compaction_rules import MB, CompactionRules, MachineLimits

MACHINE = MachineLimits(300, 40 * MB, 256 * MB, 10_000)


def test_unset_is_what_the_earlier_server_had() -> None:
    rules = Settings().context.rules(MACHINE, "qwen3:8b")
    assert rules == CompactionRules(True, MB, 200, 750 * MB, 10_000, 60.0, "qwen3:8b")


def test_nought_goes_by_the_machine() -> None:
    settings = ContextSettings(file_mb=0, entries=0, total_mb=0, model="small")
    rules = settings.rules(MACHINE, "qwen3:8b")
    assert (rules.file_bytes, rules.entries, rules.total_bytes) == (40 * MB, 300, 256 * MB)
    assert rules.model == "small"
