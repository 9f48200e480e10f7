"""Korean verbs from their forms to the dictionary and back, of every verb that the glossary has."""

from __future__ import annotations

import pytest

from memory_assets.search.crossing.glossary import shipped_glossary
from memory_assets.text.korean_verbs import dictionary_forms, verb_beginnings
from memory_assets.text.lexical_text import search_text

FORMS = """
미뤘어 미루다/미뤄 미루다/미루기로 미루다/되돌렸나요 되돌리다/도와줘 돕다/들었어 듣다/골랐어 고르다/몰라 모르다/지었어 짓다
빨간 빨갛다/더운 덥다/추웠어 춥다/바빠 바쁘다/썼어 쓰다/만든 만들다/만드는 만들다/갔어 가다/좋아하는 좋아하다
아름답다고 아름답다/배우고 배우다/키우는 키우다/그린 그리다/찍었어 찍다/돌아왔어 돌아오다/잃었어 잃다/여는 열다/느꼈어 느끼다
됐어 되다/즐겨 즐기다/살았어 살다/불러 부르다/나눠 나누다/놀란 놀라다/걸어서 걷다/물어봤어 물어보다/이겼어 이기다
"""
ENDINGS = ("", "어", "고", "서", "는", "은")
NO_VERBS = frozenset(("바다",))


@pytest.mark.parametrize("pair", [pair.strip() for line in FORMS.strip().split("\n") for pair in line.split("/")])
def test_a_form_is_read_as_its_verb(pair: str) -> None:
    form, verb = pair.split()
    assert verb in dictionary_forms(form)


def test_every_beginning_of_a_verb_leads_back_to_it() -> None:
    """The two directions agree: what a verb is looked for by in texts is read as that verb in a question."""
    verbs = [word for word in shipped_glossary().korean if word.endswith("다") and len(word) > 1 and word not in NO_VERBS]
    assert len(verbs) > 300
    lost = []
    for verb in verbs:
        for beginning in verb_beginnings(verb):
            # Of one syllable alone nothing is told: 산 is as often a mountain as what was bought.
            if len(beginning) > 1 and not any(verb in dictionary_forms(beginning + ending) for ending in ENDINGS):
                lost.append(f"{verb}: {beginning}")
    assert lost == []


@pytest.mark.parametrize("word", ["가방", "나", "deploy", "가1", "ㅋㅋ", "", "\ud800"])
def test_what_is_no_form_has_no_verb_of_the_glossary(word: str) -> None:
    assert not set(dictionary_forms(word)) & set(shipped_glossary().korean)


def test_a_beginning_is_looked_for_by_tokens_of_the_index() -> None:
    tokens = set(search_text("어제 일정을 미뤘어요").split())
    assert any(set(search_text(beginning).split()) <= tokens for beginning in verb_beginnings("미루다"))
