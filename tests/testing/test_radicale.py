"""The calendar server for tests: up when it says so, and gone afterwards."""

from __future__ import annotations

from mulligan.testing.radicale import radicale_server


def test_a_server_is_up_while_it_is_needed_and_leaves_nothing_behind() -> None:
    with radicale_server() as server:
        calendar, another = server.calendar(), server.calendar()
        text = (
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//X//EN\r\nBEGIN:VEVENT\r\nUID:u\r\n"
            "DTSTAMP:20261101T080000Z\r\nDTSTART:20261118T170000Z\r\nEND:VEVENT\r\n"
            "END:VCALENDAR\r\n"
        )
        server.put(calendar, text, name="u.ics")

        exported = server.export(calendar)

        assert [name.rpartition("/")[2] for name in exported] == ["u.ics"]
        assert server.export(another) == {}

    assert server.process.poll() is not None
    assert not server.folder.exists()
