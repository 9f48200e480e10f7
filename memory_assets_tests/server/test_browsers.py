"""Keys open once and not for long; each browser has a form token of its own."""

from __future__ import annotations

from memory_assets.server.browsers import KEY_SECONDS, Browsers


def test_a_key_opens_once_and_not_for_long() -> None:
    now = [0.0]
    browsers = Browsers(clock=lambda: now[0])
    key, late = browsers.new_key(), browsers.new_key()
    cookie = browsers.admitted(key)
    assert cookie is not None and browsers.is_known(cookie) and browsers.admitted(key) is None
    now[0] = KEY_SECONDS + 1
    assert browsers.admitted(late) is None and browsers.admitted("") is None
    assert browsers.is_known(cookie) and not browsers.is_known(key)


def test_a_form_token_is_one_browsers_alone() -> None:
    browsers = Browsers()
    first, second = (browsers.admitted(browsers.new_key()) for _ in range(2))
    assert first and second
    assert browsers.is_csrf(first, browsers.csrf_of(first))
    assert not browsers.is_csrf(first, browsers.csrf_of(second)) and not browsers.is_csrf(first, "")
    assert not Browsers().is_csrf(first, browsers.csrf_of(first))


def test_who_comes_in_often_pushes_the_oldest_out_and_no_more() -> None:
    browsers = Browsers()
    cookies = [browsers.admitted(browsers.new_key()) for _ in range(300)]
    assert not browsers.is_known(cookies[0] or "") and browsers.is_known(cookies[-1] or "")
    keys = [browsers.new_key() for _ in range(100)]
    assert browsers.admitted(keys[0]) is None and browsers.admitted(keys[-1]) is not None
