"""A source speaks for itself alone, whatever other files claim of its session."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest

from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source
from memory_assets.sessions.rereading import Transcript, as_told
from memory_assets.sessions.union import united
from memory_assets_tests.sessions.hostile import WRITERS, conversation, cut, forgeries

SESSION = "shared-talk"


def _told(data: bytes) -> list[Transcript]:
    outcome = read_source("/f", data)
    if not isinstance(outcome, SourceTaken):
        return []
    return [
        Transcript(one.source_format, one.ordinal_uids, one.messages) for one in outcome.sessions if one.session_id == SESSION
    ]


def _words(message: Message) -> tuple[str, str]:
    told = as_told(message)
    return told.role, told.text.strip()


@pytest.mark.parametrize(("of_victim", "of_forger"), list(itertools.product(WRITERS, WRITERS)))
def test_no_file_takes_away_or_changes_what_another_says(of_victim: str, of_forger: str) -> None:
    draw = random.Random(f"{of_victim} {of_forger}")
    seen = 0
    for number in range(3):
        turns = conversation(number, draw.randrange(2, 9))
        (victim,) = _told(WRITERS[of_victim](SESSION, turns))
        forged: list[Transcript] = []
        for _, claimed in forgeries(turns, draw):
            data = WRITERS[of_forger](SESSION, claimed)
            forged += _told(data)
            forged += _told(cut(data, draw))
        for one in forged:
            seen += 1
            whole = united([victim, one])
            assert united([one, victim]).messages == whole.messages
            found = Counter(map(_words, whole.messages))
            for transcript in (victim, one):
                assert not Counter(map(_words, transcript.messages)) - found or transcript.ordinal_uids
                assert {_words(message) for message in transcript.messages} <= found.keys()
            if not victim.ordinal_uids:
                # Every message of records is there as it was told, under its own id or a variant of it.
                assert set(victim.messages) <= {as_told(message) for message in whole.messages}
        everything = united([victim, *forged])
        shuffled = [victim, *forged]
        draw.shuffle(shuffled)
        assert united(shuffled).messages == everything.messages
        assert {_words(message) for message in victim.messages} <= set(map(_words, everything.messages))
    assert seen >= 40
