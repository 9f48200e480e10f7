"""Short and unmarked forms that people type are told as the words they stand for."""

import pytest

from memory_assets.text.informal_english import spelled_out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("can u fix it pls", "can you fix it please"),
        ("dont touch stuff i didnt ask for", "don't touch stuff i didn't ask for"),
        ("Thats why it WONT start", "that's why it won't start"),
        ("the u flag of tar -u, u.name and a/u/b", "the you flag of tar -u, u.name and a/u/b"),
        ("로그인 좀 고쳐줘 pls", "로그인 좀 고쳐줘 please"),
        ("nothing to spell", "nothing to spell"),
    ],
)
def test_forms_are_spelled_out(typed: str, meant: str) -> None:
    assert spelled_out(typed) == meant
