"""Each item of a list of what was decided is a decision; of what is open, proposed or refused none is."""

import pytest

from memory_assets_tests.extraction.talk import agent, user
from memory_assets_tests.extraction.test_rules import entries


def test_what_a_person_lists_as_decided_is_kept_item_by_item() -> None:
    items = [
        "**File location**: `docs/guides/orders.md`",
        "**YAML spec**: Use the spec of the shop",
        "**See also**: At the very end",
    ]
    listed = "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))
    plan = (
        f"Implement the following plan:\n\n# Move the guide\n\n**Why**:\n- Rules\n\n**User Decisions** (confirmed):\n{listed}\n"
    )
    found = [entry for entry in entries(user(plan), agent("I read the guide.")) if entry.entry_type == "decision"]
    assert [entry.evidence[0].quote for entry in found] == items


@pytest.mark.parametrize(
    "heading", ["Open decisions", "Rejected decisions", "Confirmed", "남은 결정 사항", "No decisions made"]
)
def test_what_is_not_decided_is_not_listed_as_decided(heading: str) -> None:
    said = f"The list:\n\n## {heading}\n\n- The old table of the shop and its prices\n- Whether to drop the old table?\n"
    assert all(entry.entry_type != "decision" for entry in entries(user("어떻게 되어 있어"), agent(said)))


def test_of_an_item_of_decisions_the_first_sentence_is_the_decision() -> None:
    said = (
        "## Decisions\n\n- Redis holds the sessions of the shop. It was too slow before. We tried it twice.\n"
        "- Whether to drop the old table?\n\nNext steps:\n\n- write the tests for the cache of the shop\n"
    )
    decided = [entry for entry in entries(user("어떻게 되어 있어"), agent(said)) if entry.entry_type == "decision"]
    assert [entry.evidence[0].quote for entry in decided] == ["Redis holds the sessions of the shop."]


@pytest.mark.parametrize(
    "said",
    [
        "The plan is ready.\n\n## Key decisions\n\n- Use Redis for the session store\n\nShall I start?",
        "## Key decisions\n\n- Use Redis for the session store\n\nShall I start?",
        "## Decisions made\n\n- None so far.\n- TBD: storage backend\n\nStill to do\n\n- Tests for the parser of the shop\n",
    ],
)
def test_what_is_proposed_or_open_is_not_listed_as_decided(said: str) -> None:
    assert all(entry.entry_type != "decision" for entry in entries(user("어떻게 되어 있어"), agent(said)))


def test_what_an_agent_sums_up_of_an_answer_before_it_goes_to_work_is_decided() -> None:
    items = ["**Adjacent phrase** for words with a dot", "**Prefix** on the last word of an open phrase alone"]
    summed = "The decisions are clear:\n" + "\n".join(f"- {item}" for item in items)
    talk = [
        user("The search does not find poem.txt. What could we do?"),
        agent("Two ways:\n\n1. **Loose** words\n2. **Adjacent phrase**", uid="ways"),
        user("Adjacent phrase\n\nthe prefix belongs to open phrases"),
        agent(summed + "\n\nLet me look at the callers first.", uid="sum"),
        agent("I rewrote the query builder.", uid="end"),
    ]
    decided = [quote.quote for entry in entries(*talk) if entry.entry_type == "decision" for quote in entry.evidence]
    assert set(items) <= set(decided)
    # What it only weighs was not.
    talk[3] = agent(summed.replace("The decisions are clear", "The options are clear"), uid="sum")
    assert not set(items) & {entry.evidence[0].quote for entry in entries(*talk) if entry.entry_type == "decision"}
