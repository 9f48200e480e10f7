"""What is asked for wrongly is a page that names it, with the right status."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from memory_assets.memory import Memory
from memory_assets_tests import filled_store
from memory_assets_tests.viewer.served import Served, serving


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing-here", 404),
        ("/static/../routes.py", 404),
        ("/static/%2e%2e%2froutes.py", 404),
        ("/today?day=yesterday", 400),
        ("/today?day=0001-01-01", 200),
        ("/today?day=9999-12-31", 400),
        ("/today?day=9999-12-30", 200),
    ],
)
def test_what_is_not_there_is_named(pages: Served, path: str, status: int) -> None:
    answer = pages.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8" and "<h1>" in answer.text


def test_no_link_of_a_page_leads_to_a_host_that_its_address_names(pages: Served) -> None:
    """``//host/x`` is a path here, and would be a host in a link."""
    with socket.create_connection(pages.url.removeprefix("http://").split(":"), timeout=10) as connection:
        connection.sendall(b"GET //evil.example/x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        page = b"".join(iter(lambda: connection.recv(65_536), b"")).decode()
    assert page.startswith("HTTP/1.1 404") and "language=ko" in page
    assert re.findall(r'(?:href|action)="//[^"]*"', page) == []


def test_what_nobody_foresaw_is_a_page_that_quotes_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("a sentence of a session")

    with serving(memory) as pages:
        monkeypatch.setattr(Memory, "read", failing)
        answer = pages.get("/sessions")
    assert answer.status_code == 500 and "a sentence of a session" not in answer.text and "Traceback" not in answer.text


def test_static_files_are_those_that_ship(pages: Served) -> None:
    for name, kind in (("viewer.css", "text/css"), ("viewer.js", "text/javascript"), ("htmx.min.js", "text/javascript")):
        answer = pages.get(f"/static/{name}")
        assert answer.status_code == 200 and answer.headers["content-type"].startswith(kind)
    assert pages.get("/static/htmx.LICENSE.txt").text.startswith("Zero-Clause BSD")


@pytest.mark.long
def test_a_page_is_in_the_language_that_the_browser_likes_and_keeps_the_one_that_was_chosen(pages: Served) -> None:
    assert '<html lang="en"' in pages.get("/today").text
    assert '<html lang="ko"' in pages.get("/today", **{"accept-language": "ko-KR,ko;q=0.9"}).text
    chosen = pages.get("/today?language=ko&theme=dark")
    assert '<html lang="ko" data-theme="dark"' in chosen.text
    kept = chosen.headers.get_list("set-cookie")
    assert [cookie.partition(";")[0] for cookie in kept] == ["language=ko", "theme=dark"]
    assert all("HttpOnly" in cookie and "samesite=strict" in cookie.lower() for cookie in kept)
    assert '<html lang="ko" data-theme="dark"' in pages.get("/today", cookie="language=ko; theme=dark").text


def test_today_tells_what_happened_on_the_last_day(pages: Served) -> None:
    page = pages.get("/today").text
    assert "2025-01-05" in page and "We decided to keep PostgreSQL 16 for orders." in page
    first = pages.get("/today?day=2025-01-02").text
    assert "결제 서버 장애" in first and "커넥션 풀이 모자랍니다" not in first and "캐시를 Redis로" in first


def test_a_store_in_which_nothing_was_said_has_pages_too(tmp_path: Path) -> None:
    with serving(Memory(filled_store.test_settings(tmp_path))) as empty:
        for path in ("/", "/today", "/projects", "/sessions", "/search", "/search?q=x", "/ask", "/ask?q=x&whole=1", "/tasks"):
            answer = empty.get(path)
            assert answer.status_code == 200, (path, answer.text)
        assert "There is no session yet." in empty.get("/sessions").text
