"""The names of titles and of what is waited for."""

from memory_assets.tasks.canonical import task_id, task_key
from memory_assets.tasks.names import blocker_text, is_task_id, placeholder_id, title_name


def test_a_title_without_letters_has_a_name_all_the_same() -> None:
    assert title_name("Fix the Login!") == "fix the login"
    assert title_name("???") and title_name("???") != title_name("!!!")
    assert not is_task_id(title_name("tsk_" + "a" * 32))


def test_half_a_character_is_no_end() -> None:
    assert title_name("\udcff") != title_name("\udcfe")
    assert blocker_text("\ud800", "hourglass").name
    assert blocker_text("task:\ud800:fix", "hourglass").name


def test_what_is_waited_for_is_a_title_an_artifact_an_id_or_nothing() -> None:
    known = task_id(task_key("hourglass", "fix the login"))
    assert blocker_text("Fix the login", "hourglass").name == "fix the login"
    assert blocker_text("PR #12", "hourglass").name == ""
    assert blocker_text("#12", "hourglass").name == ""
    assert blocker_text(f"waiting for {known}", "hourglass").name == known
    assert is_task_id(known)
    assert blocker_text(" \n", "hourglass").name == ""
    assert blocker_text("???", "hourglass").name


def test_each_task_has_its_own_placeholder() -> None:
    ids = {placeholder_id("p", "a"), placeholder_id("p", "b"), placeholder_id("q", "a"), placeholder_id("p", "a", 2)}
    assert len(ids) == 4
