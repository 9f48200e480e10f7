"""Who may ask, and what every answer carries: of a real server, by requests as hostile pages and programs send them."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path

import pytest

from memory_assets.server.people import admit
from memory_assets_tests.server.running import Running, running

READ = "/server"
CHANGE = "/leave"


def authorised(server: Running) -> dict[str, str]:
    return {"Authorization": f"Bearer {server.token}"}


def test_only_who_has_the_token_or_a_cookie_is_answered(server: Running) -> None:
    assert server.request("GET", READ).status == 401
    assert server.request("GET", READ, headers={"Authorization": "Bearer wrong"}).status == 401
    assert server.request("GET", READ, headers={"Authorization": f"Basic {server.token}"}).status == 401
    assert server.request("GET", f"{READ}?token={server.token}").status == 401
    assert server.request("GET", READ, headers={"Cookie": f"memory_{server.place.port}={server.token}"}).status == 401
    assert server.request("GET", READ, headers=authorised(server)).json["version"] == server.place.version
    assert server.request("GET", READ, headers=server.browser()).status == 200


def test_a_person_without_a_cookie_is_led_to_the_page_that_says_how_to_come_in(server: Running) -> None:
    led = server.request("GET", READ, headers={"Accept": "text/html,*/*"})
    assert (led.status, led.headers["location"]) == (303, "/login")
    page = server.request("GET", "/login")
    assert page.status == 200 and b"memory serve link" in page.body
    assert server.request("GET", "/login/open.js").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "0.0.0.0:{port}", ""],
)
def test_a_foreign_host_is_refused(server: Running, host: str) -> None:
    headers = {"Host": host.format(port=server.place.port), **authorised(server)}
    assert server.request("GET", READ, headers=headers).status == 403
    assert server.request("GET", "/login", headers=headers).status == 403


def test_each_of_our_own_names_is_answered(server: Running) -> None:
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        assert server.request("GET", READ, headers={"Host": f"{name}:{server.place.port}", **authorised(server)}).status == 200


def test_two_hosts_are_refused(server: Running) -> None:
    """Which of them counts is another one for each program that reads them."""
    asked = f"GET {READ} HTTP/1.1\r\nHost: {server.host}\r\nHost: evil.example\r\nAuthorization: Bearer {server.token}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.place.port), timeout=10) as connection:
        connection.sendall(asked.encode())
        assert connection.recv(100).split()[1] in (b"400", b"403")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "file://"])
def test_a_foreign_origin_is_refused_whoever_asks(server: Running, origin: str) -> None:
    for headers in (authorised(server), server.browser()):
        assert server.request("GET", READ, headers={"Origin": origin, **headers}).status == 403
        assert server.request("POST", CHANGE, headers={"Origin": origin, **headers}, body=b"").status == 403


def test_nothing_is_allowed_to_other_origins(server: Running) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    preflight = server.request("OPTIONS", CHANGE, headers=asked)
    assert preflight.status == 403
    for answered in (preflight, server.request("GET", READ, headers=authorised(server))):
        assert not [name for name in answered.headers if name.startswith("access-control-")]


def test_a_change_needs_our_own_page_and_its_form_token(server: Running) -> None:
    browser = server.browser()
    ours = {"Origin": f"http://{server.host}", **browser}
    assert server.request("POST", CHANGE, headers=ours, body=b"").status == 403
    form = {"Content-Type": "application/x-www-form-urlencoded", **ours}
    assert server.request("POST", CHANGE, headers=form, body=b"csrf=wrong").status == 403
    assert server.request("POST", CHANGE, headers={"X-CSRF-Token": "wrong", **ours}, body=b"").status == 403
    assert server.request("POST", CHANGE, headers=browser, body=b"").status == 403
    assert server.request("POST", CHANGE, headers={"Sec-Fetch-Site": "cross-site", **browser}, body=b"").status == 403
    # No GET changes anything: the cookie counts as before.
    assert server.request("GET", CHANGE, headers=browser).status in (404, 405)
    assert server.request("GET", READ, headers=browser).status == 200


def test_a_browser_is_given_no_link_and_ends_nothing(server: Running) -> None:
    browser = {"Origin": f"http://{server.host}", **server.browser()}
    page = server.request("GET", "/sessions", headers=browser).body.decode()
    token = re.search(r'name="csrf" content="([0-9a-f]+)"', page)
    assert token is not None
    for path in ("/server/link", "/server/stop", "/questions/search", "/questions/ask", "/hooks/stop"):
        assert server.request("POST", path, headers=browser, body=b"{}").status == 403
        assert server.request("POST", path, headers={"X-CSRF-Token": token[1], **browser}, body=b"{}").status == 403
    assert server.request("GET", READ, headers=authorised(server)).status == 200


def test_a_key_opens_once(server: Running) -> None:
    link = json.loads(server.client.post("/server/link", {})[1])["link"]
    key = link.partition("#key=")[2].encode()
    entered = server.request("POST", "/login", body=key)
    assert entered.status == 204
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/" in cookie
    assert server.request("POST", "/login", body=key).status == 403
    assert server.request("POST", "/login", body=b"").status == 403
    assert server.request("POST", "/login", body=b"\xff" * 5_000).status == 403


def test_who_leaves_is_known_no_more(server: Running) -> None:
    browser = server.browser()
    page = server.request("GET", "/sessions", headers=browser).body.decode()
    token = re.search(r'name="csrf" content="([0-9a-f]+)"|name="csrf" value="([0-9a-f]+)"', page)
    assert token is not None
    ours = {"Origin": f"http://{server.host}", "X-CSRF-Token": token[1] or token[2], **browser}
    assert server.request("POST", CHANGE, headers=ours, body=b"").status == 303
    assert server.request("GET", READ, headers=browser).status == 401


def test_a_page_on_another_port_of_this_host_gets_nothing_by_our_cookie(server: Running) -> None:
    """It is of the same site, so the browser sends the cookie along; a person may still follow a link of Dagster's page."""
    browser = server.browser()
    for site in ("same-site", "cross-site"):
        asked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", **browser}
        assert server.request("GET", "/search?q=redis", headers=asked).status == 403
    followed = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", **browser}
    assert server.request("GET", "/sessions", headers=followed).status == 200
    for site in ("same-origin", "none"):
        assert server.request("GET", "/sessions", headers={"Sec-Fetch-Site": site, **browser}).status == 200


def test_nothing_is_read_of_who_may_not_ask(server: Running) -> None:
    """Who is unknown is refused before a byte of a body that never ends was taken."""
    for path, status in (("/questions/search", b"401"), ("/hooks/stop", b"401"), ("/login", b"413")):
        head = f"POST {path} HTTP/1.1\r\nHost: {server.host}\r\nTransfer-Encoding: chunked\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.place.port), timeout=10) as connection:
            connection.sendall(head.encode() + b"4000\r\n" + b"x" * 0x4000 + b"\r\n")
            assert connection.recv(100).split()[1] == status


@pytest.mark.long
def test_a_name_behind_a_proxy_is_one_of_ours_with_any_port(tmp_path: Path) -> None:
    with running(tmp_path, "--name", "memory.example", MEMORY_SERVER_TAKE_SESSIONS="false") as found:
        for host in ("memory.example", "Memory.Example:443", f"memory.example:{found.place.port}", found.host):
            asked = {"Host": host, "Origin": f"https://{host}", **authorised(found)}
            assert found.request("GET", READ, headers=asked).status == 200
        for host in ("memory.example.evil", "evil.memory.example", "memory.example:", "memory.example:x", "evil:443"):
            assert found.request("GET", READ, headers={"Host": host, **authorised(found)}).status == 403
        # Whoever came in over a certificate sends the cookie over nothing else.
        sent = {"Host": "memory.example", "Origin": "https://memory.example"}
        entered = found.request("POST", "/login", headers=sent, body=admit(tmp_path, "Ann").encode())
        assert entered.status == 204 and "secure" in entered.headers["set-cookie"].lower()


def test_every_answer_carries_what_keeps_pages_apart(server: Running) -> None:
    for answered in (
        server.request("GET", "/login"),
        server.request("GET", READ),
        server.request("GET", READ, headers={"Host": "evil.example"}),
        server.request("GET", READ, headers=authorised(server)),
        server.request("GET", "/nowhere", headers=authorised(server)),
        server.request("PUT", READ, headers=authorised(server)),
    ):
        policy = answered.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["referrer-policy"] == "no-referrer"
        assert answered.headers["cache-control"] == "no-store"
        assert "server" not in answered.headers


def test_what_is_too_long_is_refused(server: Running) -> None:
    headers = {"Content-Length": "9000000000", **authorised(server)}
    assert server.request("POST", "/questions/search", headers=headers).status == 413
    assert server.request("POST", "/questions/search", headers={**authorised(server), "Content-Length": "-1"}).status in (
        400,
        413,
    )
