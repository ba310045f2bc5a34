"""Errors that were logged can be looked at, without what users wrote."""

import logging

from palabre.adapters.telemetry.error_log import KEPT, RecentErrors

OURS = logging.getLogger("palabre.core.chat.reply")


def _fail(words: str) -> None:
    raise KeyError(words)


def test_an_error_is_kept_with_its_label_place_and_reference_and_without_its_words() -> None:
    with RecentErrors().listening() as errors:
        try:
            _fail("what ana wrote")
        except KeyError:
            OURS.exception("reply of %s failed", "what ana wrote", extra={"reference": "error_1"})
    (seen,) = errors.recent()
    assert (seen.label, seen.reference) == ("reply", "error_1")
    assert seen.message == "reply of %s failed: KeyError"
    assert seen.stack[0].startswith("test_error_log.py:")
    assert seen.stack[0].endswith(" in _fail")
    assert "ana" not in repr(seen)
    assert seen.at.tzinfo is not None


def test_what_other_libraries_say_is_not_repeated() -> None:
    with RecentErrors().listening() as errors:
        logging.getLogger("asyncio.tasks").error("Task of ana was never retrieved")
    (seen,) = errors.recent()
    assert (seen.label, seen.message) == ("asyncio", "an error in asyncio")


def test_warnings_are_no_errors() -> None:
    with RecentErrors().listening() as errors:
        OURS.warning("slow")
    assert not errors.recent()


def test_only_the_last_are_kept_but_all_are_counted() -> None:
    with RecentErrors().listening() as errors:
        for number in range(KEPT + 5):
            logging.getLogger(f"palabre.number_{number}").error("again")
    assert len(errors.recent()) == KEPT
    assert errors.recent()[0].label == f"number_{KEPT + 4}"
    assert sum(errors.counts().values()) == KEPT + 5


def test_after_its_time_it_listens_no_more() -> None:
    with RecentErrors().listening() as errors:
        pass
    OURS.error("too late")
    assert not errors.recent()
