"""What a question names, by how it is written: addresses, paths, versions, symbols, quotes, names.

Rules of writing and no dictionary of names, so that a project's own words count as soon as they are used. Korean names nothing
with capital letters; there a system is told by its last noun (``인증 시스템``), and a Latin word by standing in Korean at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from memory_assets.search.question.plain_question import plain
from memory_assets.text.particles import stems

EntityKind = Literal["url", "quoted", "path", "version", "symbol", "id", "acronym", "name", "system"]

MAX_ENTITIES: Final = 32
"""The formula counts five; what is shown and matched needs no more than these."""


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that a question names, as it is written there (without particles), and how it was told."""

    text: str
    kind: EntityKind


# What is built, in one word that ends its name. In Korean what stands before it belongs to the name.
_SYSTEMS_KOREAN = (
    "시스템|아키텍처|아키텍쳐|서버|서비스|모듈|파이프라인|데이터베이스|프로젝트|컴포넌트|인터페이스|라이브러리|프레임워크"
    "|스키마|엔드포인트|레포지토리|저장소"
)
_SYSTEMS = (
    r"systems?|architectures?|servers?|services?|modules?|pipelines?|databases?|projects?|components?|interfaces?"
    r"|librar(?:y|ies)|frameworks?|schemas?|endpoints?|repositor(?:y|ies)"
)
_ENDINGS = (
    "py|pyi|ipynb|tsx?|jsx?|mjs|vue|go|rs|java|kts?|swift|c|h|cc|cpp|hpp|cs|rb|php|sql|sh|md|rst|txt|csv|tsv|jsonl?|ya?ml|toml"
    "|ini|cfg|conf|env|lock|xml|html?|s?css|proto|tf|parquet|duckdb|sqlite|db|log|idr|ipkg"
)
_EDGE = r"(?<![A-Za-z0-9_])"
_NEXT = r"(?![A-Za-z0-9_])"

_FOUND: Final = re.compile(
    r"(?P<url>https?://[^\s<>\"'`]{3,2000})"
    r"|`(?P<code>[^`\n]{1,120})`"
    r"|\"(?P<double>[^\"\n]{1,120})\""
    r"|(?<!\w)'(?P<single>[^'\n]{1,120})'(?!\w)"
    r"|[「『](?P<corner>[^」』\n]{1,120})[」』]"
    rf"|{_EDGE}(?P<path>[~.]{{0,2}}(?:/[\w.@+-]{{1,100}}){{2,}}|\.{{1,2}}/[\w./@+-]{{1,400}}"
    rf"|[A-Za-z0-9_.@+-]{{1,100}}(?:[/\\][\w.@+-]{{1,100}})+|[A-Za-z0-9_.-]{{1,100}}\.(?:{_ENDINGS}){_NEXT})"
    rf"|{_EDGE}(?P<version>v?[0-9]{{1,5}}(?:\.[0-9]{{1,6}}){{1,3}}(?:[-+][0-9A-Za-z.]{{1,20}})?){_NEXT}"
    rf"|(?P<id>{_EDGE}[A-Z][A-Z0-9]{{1,9}}-[0-9]{{1,7}}{_NEXT}|(?<![\w&])#[0-9]{{1,7}}{_NEXT}"
    rf"|{_EDGE}(?:mem:[0-9A-Za-z]{{6}}|(?=[0-9a-f]{{0,39}}[0-9])(?=[0-9a-f]{{0,39}}[a-f])[0-9a-f]{{7,40}}){_NEXT})"
    rf"|{_EDGE}(?P<word>[A-Za-z][A-Za-z0-9]*+(?:[_.:+#&-]++[A-Za-z0-9]++)*(?:\(\)|\+\+|\#)?)"
    rf"|(?P<system>(?:[가-힣]{{1,12}} )?(?:{_SYSTEMS_KOREAN}))(?P<glued>[가-힣]{{0,8}})"
)

_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SYSTEM = re.compile(rf"(?:{_SYSTEMS})", re.IGNORECASE)
_HANGUL = re.compile("[가-힣]")
_SENTENCE_END = ".!?:;\"'(-"
_NO_NAMES_LISTED: Final = """
i i'm i've ok okay yes no please a an the of to in on at by for from with and or not is are was were be do does did can
could should would will how what when where which who whom whose why me my we our you your it its this that these those
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
october november december mr mrs ms dr am pm ai vs etc
"""
_NO_NAMES = frozenset(_NO_NAMES_LISTED.split())
"""Words that are written with a capital letter, or stand in Korean, and name nothing."""


def query_entities(query: str) -> tuple[Entity, ...]:
    """What a question names, in its order, each once, at most ``MAX_ENTITIES``. Linear in the question."""
    text = plain(query)
    korean = _HANGUL.search(text) is not None
    found: dict[str, Entity] = {}
    run: list[str] = []
    run_end = -1
    for match in _FOUND.finditer(text):
        if run and not (match["word"] and match.start() == run_end + 1 and _is_capitalised(match["word"])):
            _keep(found, Entity(" ".join(run), "name"))
            run = []
        if match["word"] and _is_name(match, text):
            run.append(match["word"])
            run_end = match.end()
        elif entity := _entity(match, korean):
            _keep(found, entity)
        if len(found) >= MAX_ENTITIES:
            break
    if run:
        _keep(found, Entity(" ".join(run), "name"))
    return tuple(found.values())[:MAX_ENTITIES]


def _keep(found: dict[str, Entity], entity: Entity) -> None:
    found.setdefault(entity.text.casefold(), entity)


def _entity(match: re.Match[str], korean: bool) -> Entity | None:
    """What a match names when it is no capitalised name."""
    if match["word"]:
        return _of_word(match["word"], korean)
    if match["system"]:
        return _of_system(match["system"], match["glued"])
    if match["url"]:
        return Entity(match["url"].rstrip(".,;:!?)'"), "url")
    if match["code"]:
        return Entity(match["code"].strip(), "symbol") if match["code"].strip() else None
    quoted = (match["double"] or match["single"] or match["corner"] or "").strip()
    if quoted:
        return Entity(quoted, "quoted")
    if match["path"]:
        return _of_path(match["path"].rstrip("."))
    if match["version"]:
        return Entity(match["version"], "version")
    return Entity(match["id"], "id") if match["id"] else None


def _of_path(path: str) -> Entity | None:
    """Two plain words with a slash between are a choice (``and/or``) as often as a path."""
    words = path.split("/")
    return None if len(words) == 2 and all(map(str.isalpha, words)) else Entity(path, "path")


def _of_word(word: str, korean: bool) -> Entity | None:
    if word.casefold() in _NO_NAMES:
        return None
    # `snake_case`, `a.b`, `std::vector`, `camelCase`, `call()`; `well-known` is a word like another.
    if any(mark in word for mark in "_.:(+#&") or _CAMEL.search(word):
        return Entity(word.rstrip(".:"), "symbol")
    if len(word) > 1 and word.isupper():
        return Entity(word, "acronym")
    if any(character.isdigit() for character in word):
        return Entity(word, "symbol")
    if _SYSTEM.fullmatch(word):
        return Entity(word, "system")
    return Entity(word, "name") if korean and len(word) > 1 else None


def _of_system(words: str, glued: str) -> Entity | None:
    """``인증 시스템``; only where nothing but particles is glued to it (``서버실`` is none)."""
    if glued and words not in stems(words + glued):
        return None
    return Entity(words, "system")


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() and word.casefold() not in _NO_NAMES


def _is_name(match: re.Match[str], text: str) -> bool:
    """Whether a capitalised word is a name: not the first of its sentence, no acronym and no symbol."""
    word = match["word"]
    if not _is_capitalised(word) or not word.isalpha() or (word.isupper() and len(word) > 1) or _CAMEL.search(word):
        return False
    before = text[max(match.start() - 2, 0) : match.start()].rstrip()
    return before != "" and before[-1] not in _SENTENCE_END
