"""`memory sessions show --evidence` and `memory evidence show`: every quote in its place, beside what it supports."""

from __future__ import annotations

from pathlib import Path

from memory_assets_tests.cli.conftest import Run
from memory_assets_tests.filled_store import Said, fill_one


def citation(memory: Run, title: str) -> str:
    entries = memory("entries", "--all", "--json", "--session", "shop-1").json
    return str(next(entry["citation"] for entry in entries if entry["title"].startswith(title)))


def test_each_quote_stands_beside_its_entry(memory: Run, filled: Path) -> None:
    out = memory("sessions", "show", "shop", "--evidence").out
    redis, task, keep = (citation(memory, title) for title in ("캐시를", "배포", "Keep"))
    assert out.startswith("결제 서버 장애\nshop-1  ") and "4 quotes in 2 messages" in out
    assert (
        f"⟦우리는 캐시를 Redis로 옮기기로 했다.⟧(decision {redis}) ⟦이유는 재시작이 빠르기 때문이다.⟧(decision {redis})" in out
    )
    assert f"(task {task}) ⟦We decided to keep PostgreSQL 16 for orders.⟧(decision {keep})" in out
    # A message without quotes is a line.
    assert "0  user: 결제 서버가 자꾸 죽어요. 원인을 찾아 주세요.\n" in out
    # What was not found says why.
    assert "1 quote that cannot be found in it:" in out and "“a quote that stands nowhere in it”" in out
    assert "not_found: nothing like it stands there" in out and "fact ent_" in out


def test_json_holds_messages_with_quotes_in_order(memory: Run, filled: Path) -> None:
    value = memory("sessions", "show", "shop-1", "--evidence", "--json").json
    assert value.keys() == {"session", "messages", "failed", "quarantine"}
    for item in value["messages"]:
        text = item["message"]["text"]
        spans = [(quote["quote"]["span_start"], quote["quote"]["span_end"]) for quote in item["quotes"]]
        assert spans == sorted(spans)
        assert all(text[start:end] == q["quote"]["matched_text"] for (start, end), q in zip(spans, item["quotes"], strict=True))
    assert [len(item["quotes"]) for item in value["messages"]] == [0, 2, 2, 0]
    assert {"entry_id", "citation", "entry_type", "title", "stage", "quote"} <= value["messages"][1]["quotes"][0].keys()
    assert [item["quote"]["failure_reason"] for item in value["failed"]] == ["not_found"]


def test_session_text_stays_data(memory: Run, filled: Path) -> None:
    for arguments in ((), ("--json",), ("--full",)):
        ended = memory("sessions", "show", "shop-1", "--evidence", *arguments)
        assert ended.code == 0 and "\x1b" not in ended.out and "[bold]블로커[/bold]" in ended.out


def test_a_long_message_is_cut_around_its_quotes_unless_full(memory: Run, tmp_path: Path) -> None:
    filler = " ".join(f"문장 {number}번은 아무것도 정하지 않는다." for number in range(200))
    quote = "앞으로 배포는 매주 목요일 오전에만 하기로 했습니다."
    fill_one(
        tmp_path / "home",
        "long",
        (("user", "질문이 있어요."), ("assistant", f"{filler} {quote} {filler}")),
        (Said("decision", "배포는 목요일", ((1, quote),)),),
    )
    cut = memory("sessions", "show", "long", "--evidence").out
    full = memory("sessions", "show", "long", "--evidence", "--full").out
    assert "⟦앞으로 배포는 매주 목요일 오전에만 하기로 했습니다.⟧(decision mem:" in cut and "…" in cut
    assert "문장 0번" not in cut.split("⟦")[0].splitlines()[-1] and len(cut) < 3000
    assert "문장 0번은" in full and "문장 199번은" in full and len(full) > 8000


def test_an_unknown_session(memory: Run, filled: Path) -> None:
    assert memory("sessions", "show", "nobody", "--evidence").code == 2
    ended = memory("sessions", "show", "odd-3", "--evidence")
    assert ended.code == 0 and "0 quotes in 0 messages" in ended.out and "put aside at ingested" in ended.out


def test_evidence_says_in_words_how_each_quote_was_found(memory: Run, filled: Path) -> None:
    out = memory("evidence", "show", citation(memory, "캐시를")).out
    assert out.count("exact: the same, character for character") == 2
    assert "⟦우리는 캐시를 Redis로 옮기기로 했다.⟧ 이유는" in out and "⟦이유는 재시작이 빠르기 때문이다.⟧" in out
    entries = memory("entries", "--all", "--json").json
    nobody = next(entry["entry_id"] for entry in entries if entry["title"] == "Nobody said this")
    out = memory("evidence", "show", nobody).out
    assert "not in the session  claimed in message 0: not_found" in out
    assert "not_found: nothing like it stands there" in out and "“a quote that stands nowhere in it”" in out
    value = memory("evidence", "show", nobody, "--json").json
    assert value["quotes"][0]["message"] is None and value["quotes"][0]["quote"]["alternative_count"] == 0
