"""The book of changes, for administrators: who changed what, and whether the book is whole."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from palabre.core.audit.inspection import inspect
from palabre.core.audit.model import LARGEST_NUMBER, EntryFilter
from palabre.core.audit.ports import Ledger
from palabre.core.audit.telling import described, inspected
from palabre.core.auth.model import Permission
from palabre.surfaces.http.envelope import told
from palabre.surfaces.http.gate import Gate

PAGE_ENTRIES, MAX_PAGE_ENTRIES = 50, 200
MAX_WORD = 500

Word = Annotated[str, Query(max_length=MAX_WORD)]
Before = Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER)]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE_ENTRIES)]
Hash = Annotated[str, Query(pattern="^(?:[0-9a-f]{64})?$")]


@dataclass(frozen=True, slots=True)
class AuditRoutes:
    """Pages of the book, newest first, and its examination. Only those who manage sessions."""

    ledger: Ledger
    gate: Gate

    def router(self) -> APIRouter:
        """Return the routes."""
        allowed = self.gate.admin_needs(Permission.SESSION_MANAGE)
        router = APIRouter(prefix="/api/v2/admin/audit", dependencies=[allowed], tags=["audit"])
        router.add_api_route("", self._page, methods=["GET"])
        router.add_api_route("/verify", self._verify, methods=["GET"])
        return router

    async def _page(
        self,
        action: Word = "",
        actor: Word = "",
        target: Word = "",
        before: Before = None,
        limit: Limit = PAGE_ENTRIES,
    ) -> dict[str, Any]:
        """List changes, newest first; `next` is the `before` of the next page, null at the end."""
        wanted = EntryFilter(action, actor, target, before_number=before)
        found = await self.ledger.entries(wanted, limit + 1)
        page = found[:limit]
        following = page[-1].number if len(found) > limit else None
        return told({"entries": [described(each) for each in page], "next": following})

    async def _verify(self, expect_hash: Hash = "") -> dict[str, Any]:
        """Read the whole book; `brokenAt` is the first number that is absent or was changed."""
        return told(inspected(await inspect(self.ledger, expect_hash)))
