"""A model's answer held to its evidence."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.ask.statements import GivenEvidence, Verified, statements_of, verified
from memory_assets_tests.ask.hostile import EVIDENCE, QUESTION, Scripted, replies, untrue


def held(text: str, question: str = QUESTION) -> Verified:
    return verified(statements_of(text), EVIDENCE, question)


@pytest.mark.parametrize(
    "text",
    [
        "Caroline adopted 2 cats, Luna and Milo [1].",
        "Caroline adopted two cats. [1]",
        'She said: "The fee was 45 dollars." [1]',
        "It was on May 7, 2023 [1].",
        "2023년 5월 7일이었습니다 [1].",
        "It was in May 2023 [1].",
        "Caroline said it on 8 May 2023 [1].",
        "Jordan runs PostgreSQL 16.2 [2].",
        "PostgreSQL을 씁니다 [2].",
        "제한 시간은 30초입니다 [3].",
        "The timeout is 30 seconds [2, 3].",
        "Running PostgreSQL is what they do [2].",
    ],
)
def test_what_stands_in_its_evidence_is_kept(text: str) -> None:
    result = held(text)
    assert len(result.kept) == 1 and not result.struck and result.text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Caroline adopted 2 cats.", "no_mark"),
        ("Caroline adopted 2 cats [9].", "unknown_mark"),
        ("Caroline adopted 2 cats [1, 9].", "unknown_mark"),
        ("[1]", "no_words"),
        ('She said "The fee was 46 dollars" [1].', "quote"),
        ('She said "the fee is high [1].', "quote"),
        ("Caroline adopted 3 cats [1].", "number"),
        ("Caroline adopted seven cats [1].", "number"),
        ("The timeout is 30 minutes [2].", "number"),
        ("Caroline has 7 cats [1].", "number"),
        ("It was on 7 May 2022 [1].", "date"),
        ("5월 17일이었습니다 [1].", "date"),
        ("Rex came home [1].", "name"),
        ("It was bought by Mallory [1].", "name"),
        ("민수 님이 정했습니다 [2].", "name"),
        ("They run MySQL [2].", "name"),
        ("The file is /etc/passwd [2].", "name"),
        ("Caroline adopted 2 cats [1], and Jordan 5.", "no_mark"),
    ],
)
def test_what_does_not_is_struck_with_its_reason(text: str, why: str) -> None:
    result = held(text)
    assert [one.why for one in result.struck] == [why] and not result.kept and not result.text and not result.cited


def test_the_question_lends_names_and_no_numbers() -> None:
    assert held("Rex and the 2 cats [1].", "Did Rex come?").kept
    assert not held("She has 9 cats [1].", "Has she 9 cats?").kept


def test_a_sentence_falls_as_a_whole() -> None:
    result = held("The timeout is 30 seconds [2] and the pool has 99 connections [2]. Luna is a cat [1].")
    assert result.text == "Luna is a cat. [1]" and result.cited == (1,)
    assert [one.what for one in result.struck] == ["99"]


def test_a_quote_of_two_sentences_is_one_statement() -> None:
    result = held('"I adopted 2 cats, Luna and Milo. The fee was 45 dollars." [1]')
    assert len(result.kept) == 1 and not result.struck


def test_when_it_was_said_is_evidence_of_a_day_alone() -> None:
    evidence = [GivenEvidence(1, "The deploy failed.", said_on=date(2024, 3, 9))]
    assert verified(statements_of("The deploy failed on 9 March 2024 [1]."), evidence).kept
    assert not verified(statements_of("The deploy failed 9 times [1]."), evidence).kept


@pytest.mark.parametrize("scripted", replies(200), ids=lambda one: repr(one.text)[:40])
def test_no_lie_of_a_hostile_model_is_kept(scripted: Scripted) -> None:
    result = held(scripted.text)
    assert [one.marked_text for one in result.kept if untrue(one.text, one.marks)] == []
    assert set(result.cited) <= {one.number for one in EVIDENCE}
    assert "Mallory" not in result.text


def test_truths_beside_a_lie_stay() -> None:
    kept = told = 0
    for number, scripted in enumerate(replies(200)):
        if number % 3:
            told += len(scripted.truths)
            kept += len(held(scripted.text).kept)
    assert told > 150 and kept >= told * 0.8


@given(st.text(alphabet=st.sampled_from("[]12, a.\n\"“”'`Rex가씨7월\x1b\u200b-:/"), max_size=120))
def test_no_text_breaks_it_and_nothing_is_kept_without_a_known_mark(text: str) -> None:
    result = held(text)
    assert all(one.marks and set(one.marks) <= {1, 2, 3, 4} for one in result.kept)
    again = held(result.text)
    assert not again.struck


TOLD = (
    GivenEvidence(1, "We do not use Redis any more; we use Postgres. The cache might move to disk.", None, "Mina"),
    GivenEvidence(2, "The backups are encrypted. Uploads moved to object storage because the disk was full.", None, "Jonas"),
    GivenEvidence(3, "캐시는 Redis로 옮기지 않기로 했다. 배포는 금요일 이후에 한다.", None, "민수"),
)


@pytest.mark.parametrize(
    "text",
    [
        "They use Postgres, not Redis [1].",
        "Redis is not used any more [1].",
        "The cache might move to disk [1].",
        "The backups are encrypted [2].",
        "Uploads went to object storage because the disk was full [2].",
        "캐시를 Redis로 옮기지 않습니다 [3].",
        "배포는 금요일 이후입니다 [3].",
    ],
)
def test_a_paraphrase_is_kept(text: str) -> None:
    assert verified(statements_of(text), TOLD).kept, verified(statements_of(text), TOLD).struck


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("They use Redis [1].", "negation"),
        ("They do not use Postgres [1].", "negation"),
        ("The backups are not encrypted [2].", "negation"),
        ("The backups were never encrypted [2].", "negation"),
        ("The cache moves to disk [1].", "limit"),
        ("The backups might be encrypted [2].", "limit"),
        ("The old backups are decrypted [2].", "words"),
        ("The encrypted backups are decrypted [2].", "opposite"),
        ("The backups encrypt and decrypt uploads [2].", "opposite"),
        ("The uploads leave the whole company alone [2].", "words"),
        ("Nobody knows why [2].", "words"),
        ("The backups are encrypted, and nobody does it [2].", "negation"),
        ("Uploads are enabled [2].", "words"),
        ("le disque etait plein hier soir [2].", "words"),
        ("캐시를 Redis로 옮깁니다 [3].", "negation"),
        ("배포는 금요일 이전입니다 [3].", "opposite"),
        ("디스크가 가득 찼습니다 [2].", "words"),
        ("Yes [2].", "words"),
        ("That is so [2].", "words"),
    ],
)
def test_what_turns_its_evidence_round_is_struck(text: str, why: str) -> None:
    result = verified(statements_of(text), TOLD)
    assert [one.why for one in result.struck] == [why]
