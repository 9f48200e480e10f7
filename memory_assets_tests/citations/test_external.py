"""Addresses of every kind: what is printed is parsed, whatever it names, and nothing that is named is opened."""

from __future__ import annotations

import builtins
import os
import unicodedata
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_assets.citations.addresses import (
    KINDS,
    Citation,
    MemoryCitation,
    MessageCitation,
    NotACitation,
    PlaceCitation,
    SpanCitation,
    TerminalCitation,
    parse_citation,
)
from memory_assets.citations.encoding import MAX_NAME, MAX_NUMBER, normal_path
from memory_assets.citations.errors import InvalidCitationError
from memory_assets.citations.external import (
    CaptionCitation,
    CodeCitation,
    CommitCitation,
    FileCitation,
    LineCitation,
    LogCitation,
    PageCitation,
    RegionCitation,
    SymbolCitation,
    TimeCitation,
)
from memory_assets.results.citation import CitationV1, citation_v1

HOSTILE = (
    "배포 스크립트/설정.py",
    "a b/c d.txt",
    "x#y#L1.py",
    "a&b=c&m=1.py",
    "100%/%23%ZZ",
    "line\nbreak\r\n\t.py",
    "[link](http://x).md",
    "../../etc/passwd",
    "C:\\Users\\me\\app.py",
    "session:ab#m=1",
    "mem:a7Bc3x",
    "\x00\x1b[31m",
    "e\u0301/가.py",
    "file:file:x",
    "👨‍👩‍👧.png",
    "\u202egnp.exe",
)
TEXT = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40),
    st.text("ab/.#&=%?,;:[]()L1-\\ \n가각", min_size=1, max_size=40),
)


def is_path(text: str) -> bool:
    try:
        return bool(normal_path(text))
    except InvalidCitationError:
        return False


PATHS = TEXT.filter(is_path)
NUMBERS = st.integers(1, MAX_NUMBER)
RANGES = st.tuples(NUMBERS, NUMBERS).map(sorted)
SESSION_IDS = st.sampled_from(["a", "shop-1", "2026.02_x", "0" * 100])
SEGMENTS = st.sampled_from([((0, 1),), ((3, 9), (9, 12)), ((140, 182), (190, 200))])
PLACES: dict[str, st.SearchStrategy[PlaceCitation]] = {
    "message": st.one_of(
        st.builds(MessageCitation, SESSION_IDS, st.integers(0, MAX_NUMBER)),
        st.builds(SpanCitation, SESSION_IDS, st.integers(0, MAX_NUMBER), SEGMENTS),
    ),
    "terminal_snapshot": st.builds(TerminalCitation, SESSION_IDS, st.integers(0, MAX_NUMBER), st.one_of(st.just(()), SEGMENTS)),
    "file": st.builds(FileCitation, PATHS),
    "line": st.builds(lambda path, lines: LineCitation(path, *lines), PATHS, RANGES),
    "code": st.builds(
        lambda path, lines, symbol, lang: CodeCitation(path, *lines, symbol, lang),
        PATHS,
        RANGES,
        st.none() | TEXT,
        st.none() | TEXT,
    ),
    "symbol": st.builds(SymbolCitation, TEXT, st.none() | PATHS),
    "commit": st.builds(CommitCitation, st.text("0123456789abcdefABCDEF", min_size=4, max_size=64), st.none() | TEXT),
    "log": st.builds(LogCitation, PATHS, st.none() | NUMBERS, st.none() | st.integers(0, MAX_NUMBER)),
    "page": st.builds(lambda path, pages: PageCitation(path, *pages), PATHS, RANGES),
    "region": st.one_of(
        st.builds(
            RegionCitation,
            PATHS,
            *(st.integers(0, 1000),) * 2,
            *(st.integers(1, 1000),) * 2,
            st.just("pixel"),
            st.none() | NUMBERS,
        ),
        st.builds(RegionCitation, PATHS, *(st.integers(0, 50),) * 2, *(st.integers(1, 50),) * 2, st.just("percent")),
    ),
    "caption": st.builds(CaptionCitation, PATHS, st.none() | TEXT, st.none() | NUMBERS),
    "time": st.one_of(
        st.builds(TimeCitation, PATHS, st.integers(0, MAX_NUMBER)),
        st.builds(
            lambda path, times: TimeCitation(path, times[0], times[1] + 1), PATHS, RANGES.filter(lambda r: r[1] < MAX_NUMBER)
        ),
    ),
}
SAID = {"\x20", "\n", "[", "]", '"', "'", "<", ">", "\x00", "\x1b", "\u202e"}


def test_every_kind_is_here() -> None:
    assert PLACES.keys() == set(KINDS)
    assert {place.kind for place in get_args(PlaceCitation)} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_prints_and_parses_to_itself(kind: str) -> None:
    @given(PLACES[kind])
    def prints_and_parses(citation: PlaceCitation) -> None:
        uri = citation.uri
        assert citation.kind == kind
        assert parse_citation(uri) == parse_citation(f"[{uri}]") == parse_citation(f"  {uri}\n") == citation
        # Nothing in an address ends it early, wherever it stands.
        assert not SAID & set(uri) and uri.split() == [uri]
        # On the wire it has the same address and the keys that every kind has.
        printed = citation_v1(citation).model_dump(mode="json")
        assert {"schema_version", "kind", "uri", "path", "id", "quote", "quote_hash", "label"} <= printed.keys()
        assert (printed["kind"], printed["uri"], printed["schema_version"]) == (kind, uri, "citation.v1")
        assert printed["path"] == getattr(citation, "path", None)

    prints_and_parses()


@given(st.one_of(st.text(), st.builds(lambda scheme, rest: scheme + rest, st.sampled_from([f"{s}:" for s in PLACES]), TEXT)))
def test_any_text_is_taken_and_what_is_parsed_prints_to_itself(text: str) -> None:
    citation: Citation = parse_citation(text)
    if isinstance(citation, NotACitation):
        assert citation.reason and citation.text == text
    else:
        assert parse_citation(citation.uri) == citation


@given(PATHS.filter(lambda path: path.strip("/\\")))  # with ./ in front, a root alone is no path
def test_a_path_has_one_spelling(path: str) -> None:
    normal = normal_path(path)
    assert normal_path(normal) == normal
    assert normal_path(f"./{path}") == normal or path.startswith(("/", "\\"))
    assert normal_path(path.replace("/", "//")) == normal
    assert normal_path(unicodedata.normalize("NFD", path)) == normal
    assert "\\" not in normal and "//" not in normal and not normal.startswith("./")


@pytest.mark.parametrize(
    ("text", "citation"),
    [
        ("file:src/app.py", FileCitation("src/app.py")),
        ("file:docs/배포.md", FileCitation("docs/배포.md")),
        ("file:docs/%EB%B0%B0%ED%8F%AC.md", FileCitation("docs/배포.md")),
        ("file:./src//app.py#L10-L20", LineCitation("src/app.py", 10, 20)),
        ("file:a%20b.py#L7", LineCitation("a b.py", 7, 7)),
        ("code:src/app.py#L10-L20&symbol=App.run&lang=python", CodeCitation("src/app.py", 10, 20, "App.run", "python")),
        ("symbol:App.run#path=src/app.py", SymbolCitation("App.run", "src/app.py")),
        ("commit:1A2B3C4#repo=owner/name", CommitCitation("1a2b3c4", "owner/name")),
        ("log:/srv/talk.jsonl#L120", LogCitation("/srv/talk.jsonl", 120)),
        ("log:/srv/talk.jsonl#m=7", LogCitation("/srv/talk.jsonl", None, 7)),
        ("terminal:session:shop-1#m=7", TerminalCitation("shop-1", 7)),
        ("terminal:session:shop-1#m=7&c=0-9", TerminalCitation("shop-1", 7, ((0, 9),))),
        ("page:report.pdf#page=3", PageCitation("report.pdf", 3, 3)),
        ("page:report.pdf#page=3-5", PageCitation("report.pdf", 3, 5)),
        ("region:scan.pdf#page=3&xywh=10,20,300,40", RegionCitation("scan.pdf", 10, 20, 300, 40, "pixel", 3)),
        ("region:photo.png#xywh=pixel:1,2,3,4", RegionCitation("photo.png", 1, 2, 3, 4)),
        ("region:photo.png#xywh=percent:25,25,50,50", RegionCitation("photo.png", 25, 25, 50, 50, "percent")),
        ("caption:photo.png#model=qwen2.5-vl:7b", CaptionCitation("photo.png", "qwen2.5-vl:7b")),
        ("time:call.mp3#t=12.5,20", TimeCitation("call.mp3", 12_500, 20_000)),
        ("time:call.mp3#t=npt:90", TimeCitation("call.mp3", 90_000)),
        ("[mem:a7Bc3x]", MemoryCitation("a7Bc3x")),
    ],
)
def test_the_forms_of_the_documentation(text: str, citation: Citation) -> None:
    assert parse_citation(text) == citation


def test_addresses_read_as_they_are_written_down() -> None:
    assert FileCitation("docs/배포 안내.md").uri == "file:docs/배포%20안내.md"
    assert LineCitation("a#b.py", 3, 3).uri == "file:a%23b.py#L3"
    assert TimeCitation("a.mp3", 61_050, 62_000).uri == "time:a.mp3#t=61.05,62"
    assert CodeCitation("a.rs", 1, 2, "fn a&b").uri == "code:a.rs#L1-L2&symbol=fn%20a%26b"


@pytest.mark.parametrize(
    "text",
    [
        "file:",
        "file:./",
        "file:%FF",
        "file:a#L0",
        "file:a#L9-L3",
        "file:a#10",
        "file:a#",
        "file:a#L1&L2",
        "file:a#L1&x=2",
        "file:a#L=1",
        "code:a.py",
        "code:a.py#symbol=x",
        "symbol:",
        "symbol:x#path=",
        "commit:",
        "commit:abc",
        "commit:zzzz",
        "commit:" + "a" * 65,
        "log:a#L1-L2",
        "log:a#m=01",
        "terminal:shop-1#m=1",
        "terminal:session:shop-1",
        "page:a.pdf",
        "page:a.pdf#page=0",
        "page:a.pdf#page=5-3",
        "region:a.png#xywh=1,2,3",
        "region:a.png#xywh=1,2,0,4",
        "region:a.png#xywh=percent:60,0,50,10",
        "region:a.png#xywh=cm:1,2,3,4",
        "time:a.mp3",
        "time:a.mp3#t=5,5",
        "time:a.mp3#t=1e3",
        "https://example.com/a",
        "file:" + "a" * (MAX_NAME + 1),
        "file:" + "%EA%B0%80" * 1_000_000,
        "file:a#" + "&" * 1_000_000,
        "region:a#xywh=" + "1," * 1_000_000,
    ],
)
def test_what_is_no_address_says_why(text: str) -> None:
    citation = parse_citation(text)
    assert isinstance(citation, NotACitation) and citation.reason


@pytest.mark.parametrize("name", ["", "\ud800", "a" * (MAX_NAME + 1), "가" * (MAX_NAME // 3 + 1)])
def test_what_is_no_name_is_refused(name: str) -> None:
    for make in (FileCitation, SymbolCitation, lambda text: CodeCitation("a.py", 1, 1, text)):
        with pytest.raises(InvalidCitationError):
            make(name)


def test_the_longest_name_still_prints_and_parses() -> None:
    citation = CodeCitation("/" * 1 + " " * (MAX_NAME - 1), 1, MAX_NUMBER, "&" * MAX_NAME, "#" * MAX_NAME)
    assert parse_citation(citation.uri) == citation


def test_no_path_is_ever_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object, **_: object) -> object:
        raise AssertionError(f"opened {arguments}")

    for module, name in ((builtins, "open"), (os, "open"), (os, "stat"), (os, "lstat"), (os, "readlink"), (os, "listdir")):
        monkeypatch.setattr(module, name, refused)
    for kind in ("file", "log", "page", "region", "caption", "time", "code"):
        parse_citation(f"{kind}:/etc/passwd#L1")
        citation = FileCitation("/etc/passwd")
        assert citation_v1(replace(citation)).path == "/etc/passwd"


def test_a_message_is_printed_as_it_always_was() -> None:
    printed = CitationV1.of(SpanCitation("shop-1", 2, ((3, 9),))).model_dump(mode="json")
    assert list(printed) == [
        "schema_version",
        "kind",
        "uri",
        "id",
        "path",
        "session_id",
        "message_index",
        "span_start",
        "span_end",
        "segments",
        "role",
        "name",
        "ts",
        "quote",
        "quote_hash",
        "label",
    ]
    assert (printed["kind"], printed["session_id"], printed["message_index"]) == ("message", "shop-1", 2)
