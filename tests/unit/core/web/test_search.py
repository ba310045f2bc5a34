import pytest

from palabre.core.web.errors import SearchBlockedError
from palabre.core.web.search import FirstToAnswer
from palabre.kernel.errors import UpstreamError
from palabre.testing.web import ScriptedSearch, a_hit


async def test_the_next_service_is_asked_where_one_fails() -> None:
    first, second = ScriptedSearch(error=UpstreamError(detail="x")), ScriptedSearch(a_hit())
    assert list(await FirstToAnswer([first, second]).search("q", 5)) == [a_hit()]
    assert (first.queries, second.queries) == (["q"], ["q"])


async def test_a_service_that_finds_nothing_has_answered() -> None:
    second = ScriptedSearch(a_hit())
    assert list(await FirstToAnswer([ScriptedSearch(), second]).search("q", 5)) == []
    assert second.queries == []


async def test_the_failure_of_the_first_is_told_when_all_fail() -> None:
    first = ScriptedSearch(error=SearchBlockedError(service="one"))
    second = ScriptedSearch(error=UpstreamError(detail="two"))
    with pytest.raises(SearchBlockedError):
        await FirstToAnswer([first, second]).search("q", 5)
