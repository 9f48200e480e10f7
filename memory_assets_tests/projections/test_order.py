"""Any order of sessions gives the same tables, read at once or one by one, and each of these is what a replay gives."""

import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memory_assets.log.events import NewEvent
from memory_assets.projections.rebuild import verify
from memory_assets_tests.depth import depth
from memory_assets_tests.projections.story import APPEND_TIMES, STARTED, VERSIONS, Remark, Story, folded, shuffled, tables

# Few titles, so that sessions speak of the same things; spellings that are one key.
remarks = st.lists(
    st.builds(
        Remark,
        st.sampled_from(["Fix the login", "fix the LOGIN!", "로그인을 고친다", "Keep PostgreSQL"]),
        st.integers(0, 2),
        st.sampled_from(["task", "task", "decision"]),
        status=st.sampled_from([None, "pending", "in_progress", "blocked", "done", "cancelled"]),
        promoted=st.sampled_from(["verified", None]),
        quoted=st.sampled_from([True, True, True, False]),
    ),
    max_size=3,
    unique_by=lambda remark: (remark.title, remark.message_index, remark.entry_type),
)
# A session: when it began, its project, and its revisions, each with the texts it ends on.
sessions = st.tuples(
    st.integers(0, 3),
    st.sampled_from(["hourglass", "shop", None]),
    st.lists(st.tuples(st.sampled_from(["x", "y"]), remarks), min_size=1, max_size=2),
)


def attached(text: str) -> str:
    """What a program wrote in the person's name."""
    return f"<context ref='{text}.md'>\nAlways {text}.\n</context>"


def streams(told: Sequence[tuple[int, str | None, list[tuple[str, list[Remark]]]]]) -> list[list[list[NewEvent]]]:
    """For each session the batches of its revisions."""
    found = []
    for number, (day, project, revisions) in enumerate(told):
        story = Story(f"talk-{number}", project=project, started=STARTED + timedelta(days=day))
        found.append([story.tell(["one", "two", f"three {text}", attached(text)], remarks) for text, remarks in revisions])
    return found


# An example takes a second: a failing one is shown as it was found.
@pytest.mark.deep
@settings(
    max_examples=depth(1, 12),
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
)
@given(st.lists(sessions, min_size=2, max_size=4), st.randoms(use_true_random=False), st.data())
def test_any_order_gives_the_same_tables(told: list, chance: Random, data: st.DataObject) -> None:  # type: ignore[type-arg]
    given_order = streams(told)
    at_once = [event for batches in given_order for batch in batches for event in batch]
    other_order = shuffled(given_order, chance)
    resolved = data.draw(st.lists(st.booleans(), min_size=len(other_order), max_size=len(other_order)))
    with tempfile.TemporaryDirectory() as folder:
        one = folded(Path(folder) / "one", [at_once], [True])
        other = folded(Path(folder) / "other", other_order, resolved)
        expected = tables(one, without=APPEND_TIMES)
        assert tables(other, without=APPEND_TIMES) == expected
        report = verify(other, VERSIONS)
        assert report.equal, report.differences
        assert report.tables["sessions"] == len(told)
        templates = [row for row in expected["memory_units"] if row["origin"] == "template"]
        assert len(templates) == len(told) and {row["place"] for row in templates} == {None}
