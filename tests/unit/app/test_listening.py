"""Where a server of ours waits."""

import pytest

from palabre.app.listening import AddressBusyError, listen, web_address


def test_the_address_of_a_server_has_brackets_where_browsers_want_them() -> None:
    assert web_address("127.0.0.1", 1) == "http://127.0.0.1:1"
    assert web_address("::1", 2) == web_address("[::1]", 2) == "http://[::1]:2"


def test_port_0_takes_any_free_one() -> None:
    with listen("127.0.0.1", 0) as socket:
        assert socket.getsockname()[1] > 0


def test_a_taken_port_is_named_with_the_reason() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressBusyError) as told:
            listen("127.0.0.1", port)
    assert told.value.data["port"] == port
    assert told.value.data["detail"] == "Address already in use"


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(AddressBusyError):
        listen("192.0.2.1", 0)
