import pytest

from palabre.core.auth.model import PERMISSIONS, Permission, Role
from palabre.core.chat.visitors import Visitor


@pytest.mark.parametrize("permission", Permission)
def test_where_rooms_are_open_everybody_may_do_everything(permission: Permission) -> None:
    assert Visitor("ana").may(permission)
    assert Visitor(None, "ana").may(permission)


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("permission", Permission)
def test_else_the_role_decides(role: Role, permission: Permission) -> None:
    assert Visitor(None, "ana", role).may(permission) == (permission in PERMISSIONS[role])


def test_only_those_who_are_known_are_the_same_person() -> None:
    lea, ana = Visitor(None, "Lea", Role.VIEWER), Visitor(None, "ana", Role.VIEWER)
    assert lea.is_same_person(Visitor(None, "LEA", Role.ADMIN))
    assert not lea.is_same_person(ana)
    assert not lea.is_same_person(Visitor("Lea", "Lea"))
    assert not Visitor().is_same_person(Visitor())
