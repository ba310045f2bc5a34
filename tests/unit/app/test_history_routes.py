from tests.support.rooms import house

from palabre.app.history_routes import history_routers
from palabre.surfaces.http.gate import Gate


async def test_all_routes_about_what_was_said_are_there() -> None:
    async with house() as place:
        routers = list(history_routers(place.app, Gate(place.app.auth)))
    paths = {route.path for router in routers for route in router.routes}
    assert paths == {
        "/api/chat/channels",
        "/api/v2/admin/retention-sweep",
        "/api/v2/analytics",
        "/api/v2/chat/history",
        "/api/v2/chat/history/{date}",
        "/api/v2/chat/search",
        "/api/v2/errors",
        "/api/v2/export/html",
    }
