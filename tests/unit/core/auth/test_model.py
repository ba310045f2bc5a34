import pytest

from palabre.core.auth.model import PERMISSIONS, Permission, Role

MATRIX = """
session:manage      | x |   |   |
chat:read           | x | x | x | x
chat:write          | x | x | x |
persona:read        | x | x | x | x
persona:write       | x | x |   |
node_engine:read    | x | x | x | x
node_engine:operate | x |   | x |
ops:read            | x | x | x | x
"""
ROLES = (Role.ADMIN, Role.EDITOR, Role.OPERATOR, Role.VIEWER)


@pytest.mark.parametrize("row", MATRIX.strip().splitlines())
def test_each_role_may_do_what_the_matrix_says(row: str) -> None:
    name, *cells = (cell.strip() for cell in row.split("|"))
    permission = Permission(name)
    assert [permission in PERMISSIONS[role] for role in ROLES] == [cell == "x" for cell in cells]


def test_the_matrix_names_every_permission() -> None:
    named = {row.split("|")[0].strip() for row in MATRIX.strip().splitlines()}
    assert named == set(Permission)
