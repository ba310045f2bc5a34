"""What this machine can spare."""

import resource

from palabre.adapters.telemetry.resources import (
    allow_open_files,
    available_memory_bytes,
    usable_cores,
)


def test_the_machine_tells_its_memory_and_cores() -> None:
    memory_bytes = available_memory_bytes()
    assert memory_bytes is None or memory_bytes > 10_000_000
    assert usable_cores() >= 1


def test_as_many_files_as_are_open_already_are_granted_without_a_change() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert allow_open_files(1) == 1
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_more_files_than_the_system_allows_are_cut_to_what_it_does() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return
    try:
        assert allow_open_files(hard + 1) == hard
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
