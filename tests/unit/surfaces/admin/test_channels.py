from tests.support.admitted import asking, gate_for_all

from palabre.core.auth.model import Role
from palabre.core.models.registry import ModelRegistry
from palabre.surfaces.admin.channels import ChannelsRoute
from palabre.testing.clock import FrozenClock
from palabre.testing.models import ScriptedProvider


async def test_each_model_has_a_channel_but_none_takes_the_name_of_a_usual_one() -> None:
    provider = ScriptedProvider(name="ollama", models=("Qwen3:8B", "admin", "a/b_c.d"))
    models = ModelRegistry([provider], default_model="admin", clock=FrozenClock())
    route = ChannelsRoute(models, await gate_for_all())
    async with asking(route.router(), Role.VIEWER) as client:
        data = (await client.get("/api/chat/channels")).json()["data"]
    kinds = [(each["id"], each["kind"], each.get("model")) for each in data]
    assert kinds == [
        ("general", "general", None),
        ("admin", "admin", None),
        ("qwen3-8b", "dedicated", "Qwen3:8B"),
        ("a-b-c-d", "dedicated", "a/b_c.d"),
    ]
