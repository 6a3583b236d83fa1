"""The small parts of laptop mode: key, socket name, ports, message files."""

from __future__ import annotations

import socket
import stat
from pathlib import Path

import pytest
from kombu import Connection

from tourney.laptop import broker, ports
from tourney.laptop.folder import DataFolder


def test_secret_key_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "new")

    key = folder.secret_key()

    assert (len(key) >= 50, folder.secret_key()) == (True, key)
    assert stat.S_IMODE((folder.root / "secret-key").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700
    assert [path.name for path in folder.root.iterdir()] == ["secret-key"]


def test_socket_folder_is_short_and_of_its_own_data_folder() -> None:
    first, second = DataFolder(Path("/x" * 200)), DataFolder(Path("/y" * 200))

    assert len(str(first.socket_folder / ".s.PGSQL.5432")) < 100
    assert first.socket_folder != second.socket_folder


def test_busy_port_gives_the_next_free_one() -> None:
    with ports.listen("127.0.0.1", 0) as busy:
        taken = busy.getsockname()[1]
        with ports.listen("127.0.0.1", taken) as other:
            assert other.getsockname()[1] not in (0, taken)


def test_addresses_of_the_network_exclude_this_machines_own() -> None:
    assert [address for address in ports.addresses() if address.startswith("127.")] == []


@pytest.fixture
def messages(tmp_path: Path) -> Connection:
    broker.register()
    return Connection("laptop://localhost", transport_options=DataFolder(tmp_path).broker_options())


def test_messages_come_out_in_order_and_leave_nothing_behind(messages: Connection, tmp_path: Path) -> None:
    with messages:
        queue = messages.SimpleQueue("jobs")
        for number in range(5):
            queue.put({"number": number})
        got = [queue.get(timeout=5) for _ in range(5)]
        for message in got:
            message.ack()
        queue.close()

    assert [message.payload["number"] for message in got] == [0, 1, 2, 3, 4]
    assert list((tmp_path / "messages").rglob("*.msg")) == []


def test_half_written_message_is_not_seen(messages: Connection, tmp_path: Path) -> None:
    with messages:
        queue = messages.SimpleQueue("jobs")
        (tmp_path / "messages" / "queue").mkdir(parents=True, exist_ok=True)
        (tmp_path / "messages" / "queue" / ".abc.part").write_text('{"bo')

        with pytest.raises(queue.Empty):
            queue.get(timeout=0.2)
        queue.close()


def test_listening_socket_is_closed_when_the_port_is_refused() -> None:
    with ports.listen("127.0.0.1", 0) as busy, pytest.raises(OSError, match="in use"):
        ports._listen("127.0.0.1", busy.getsockname()[1])
    assert isinstance(busy, socket.socket)
