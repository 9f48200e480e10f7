"""What is told of a PostgreSQL that fails: its client's own words, as far as they are of use."""

from __future__ import annotations

import pytest

from memory_assets.postgres.client import failure_of, said_by

psycopg = pytest.importorskip("psycopg")


def test_nobody_is_asked_whether_the_server_runs() -> None:
    with pytest.raises(psycopg.OperationalError) as refused:
        psycopg.connect("host=127.0.0.1 port=1 connect_timeout=5")
    said = said_by(refused.value)
    assert "127.0.0.1" in said and "Connection refused" in said and "?" not in said
    assert failure_of(refused.value) == "unreachable"


def test_each_address_that_was_tried_is_told() -> None:
    told = psycopg.OperationalError(
        'multiple attempts failed:\n- host "a": refused\n\tIs the server running on that host and accepting connections?\n'
        '- host "b": refused\n\tIs the server running locally and accepting connections on that socket?'
    )
    said = said_by(told)
    assert '"a"' in said and '"b"' in said and "Is the server" not in said
