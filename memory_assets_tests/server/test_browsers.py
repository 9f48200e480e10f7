"""Keys open once and not for long; each browser has a form token of its own."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_assets.errors import InvalidArgumentError, NotFoundError
from memory_assets.server.browsers import KEY_SECONDS, Browsers
from memory_assets.server.files import folder_of
from memory_assets.server.people import PEOPLE_FILE_NAME, People, admit, dismiss, people_of


def test_a_key_opens_once_and_not_for_long() -> None:
    now = [0.0]
    browsers = Browsers(clock=lambda: now[0])
    key, late = browsers.new_key(), browsers.new_key()
    cookie = browsers.admitted(key)
    assert cookie is not None and browsers.visitor(cookie) is not None and browsers.admitted(key) is None
    now[0] = KEY_SECONDS + 1
    assert browsers.admitted(late) is None and browsers.admitted("") is None
    assert browsers.visitor(cookie) is not None and browsers.visitor(key) is None


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
    assert browsers.visitor(cookies[0] or "") is None and browsers.visitor(cookies[-1] or "") is not None
    keys = [browsers.new_key() for _ in range(100)]
    assert browsers.admitted(keys[0]) is None and browsers.admitted(keys[-1]) is not None


def test_a_persons_token_opens_until_another_is_given_or_none(tmp_path: Path) -> None:
    browsers = Browsers(People(tmp_path))
    assert browsers.admitted("") is None
    first, other = admit(tmp_path, " 민아 "), admit(tmp_path, "lee")
    cookies = [
        browsers.admitted(first),
        browsers.admitted(first),
        browsers.admitted(other),
        browsers.admitted(browsers.new_key()),
    ]
    assert None not in cookies and len({*cookies}) == 4
    known = [str(cookie) for cookie in cookies]
    assert [visitor and visitor.name for visitor in map(browsers.visitor, known)] == ["민아", "민아", "lee", None]
    second = admit(tmp_path, "민아")
    assert [browsers.visitor(cookie) is not None for cookie in known] == [False, False, True, True]
    assert browsers.admitted(first) is None and browsers.admitted(second) is not None
    dismiss(tmp_path, "lee")
    assert browsers.visitor(known[2]) is None and browsers.admitted(other) is None
    assert [one.name for one in people_of(tmp_path)] == ["민아"]
    with pytest.raises(NotFoundError, match="lee"):
        dismiss(tmp_path, "lee")


def test_a_token_is_kept_nowhere_and_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    token = admit(tmp_path, "Ann")
    path = folder_of(tmp_path) / PEOPLE_FILE_NAME
    assert token not in path.read_text() and path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0
    for name in ("", "  ", "a\nb", "x" * 61, "a\x1b[31m", "a\u202eb", "a\u2028b"):
        with pytest.raises(InvalidArgumentError, match="a person has a name"):
            admit(tmp_path, name)
    with pytest.raises(InvalidArgumentError, match="logged masked"):
        admit(tmp_path, "ann@corp.example", masked=lambda text: text.replace("ann@corp.example", "[EMAIL]"))
    admit(tmp_path, "민아".encode().decode())
    dismiss(tmp_path, unicodedata.normalize("NFD", "민아"))
    assert [one.name for one in people_of(tmp_path)] == ["Ann"]


def test_one_person_pushes_nobody_else_out(tmp_path: Path) -> None:
    browsers = Browsers(People(tmp_path))
    own, ann, lee = browsers.admitted(browsers.new_key()), admit(tmp_path, "Ann"), admit(tmp_path, "lee")
    other = browsers.admitted(lee)
    many = [browsers.admitted(ann) for _ in range(600)]
    assert all(browsers.visitor(str(cookie)) for cookie in (own, other, many[-1])) and browsers.visitor(str(many[0])) is None
    # However many people there are, whoever has the store's own link stays, and the other way round.
    for number in range(200):
        last = browsers.admitted(admit(tmp_path, f"person {number}"))
    assert browsers.visitor(str(own)) is not None and browsers.visitor(str(last)) is not None
    for _ in range(300):
        browsers.admitted(browsers.new_key())
    assert browsers.visitor(str(own)) is None and browsers.visitor(str(last)) is not None


def test_who_is_dismissed_while_another_is_admitted_stays_out(tmp_path: Path) -> None:
    admit(tmp_path, "Ann")
    with ThreadPoolExecutor(8) as pool:
        tried = [pool.submit(dismiss, tmp_path, "Ann"), *(pool.submit(admit, tmp_path, f"person {n}") for n in range(20))]
        for one in tried:
            one.result()
    assert [one.name for one in people_of(tmp_path)] == sorted(f"person {n}" for n in range(20))


@pytest.mark.parametrize("text", ["", "[]", '{"people": 3}', '{"people": [{"name": "Ann"}]}', "\ud800"])
def test_a_file_of_people_that_cannot_be_read_lets_nobody_in(tmp_path: Path, text: str) -> None:
    token, people = admit(tmp_path, "Ann"), People(tmp_path)
    assert people.who_holds(token) is not None
    path = folder_of(tmp_path) / PEOPLE_FILE_NAME
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert people.who_holds(token) is None
    with pytest.raises(InvalidArgumentError, match="cannot be read"):
        people_of(tmp_path)
    assert path.exists(), "nobody writes over it"
