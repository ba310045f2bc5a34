"""What the pages offer to a role is what the server lets it do."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from palabre.core.auth.model import PERMISSIONS, Role

ROLES = Path(__file__).parents[3] / "src/palabre/surfaces/rooms/web/js/core/roles.js"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")


def _offered() -> dict[str, list[str]]:
    script = f"import {{PERMISSIONS}} from {json.dumps(ROLES.as_uri())};"
    script += "console.log(JSON.stringify(PERMISSIONS));"
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_each_role_is_offered_what_it_may_do() -> None:
    offered = _offered()
    assert set(offered) == {each.value for each in Role}
    for role in Role:
        assert sorted(offered[role]) == sorted(each.value for each in PERMISSIONS[role])
        assert len(set(offered[role])) == len(offered[role])
