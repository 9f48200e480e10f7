"""The values that a statement may give its subject: numbers with their units, and names of which one excludes the other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from memory_assets.text.english_words import inflected

_ALTERNATIVES: Final = """
database: postgresql|postgres mysql mariadb sqlite mongodb|mongo duckdb cassandra dynamodb cockroachdb bigquery snowflake
 clickhouse redis memcached 포스트그레스|postgresql
queue: kafka rabbitmq sqs nats pulsar activemq 카프카|kafka
language: python rust Go golang|go java kotlin typescript javascript ruby scala php elixir haskell Swift zig C++ C#
 파이썬|python
 자바|java 코틀린|kotlin 러스트|rust 타입스크립트|typescript 자바스크립트|javascript
frontend: react vue svelte angular solidjs 리액트|react 뷰|vue
backend: django flask fastapi rails laravel nestjs actix
packages: npm yarn pnpm bun pip poetry pipenv conda
bundler: webpack vite rollup esbuild parcel
tests: pytest unittest jest vitest mocha
format: json yaml toml xml csv protobuf avro parquet ini
speech: english korean japanese chinese german french spanish 영어|english 영문|english 한국어|korean 한글|korean 국문|korean
 일본어|japanese 중국어|chinese 독일어|german 프랑스어|french
indentation: tab space 탭|tab 스페이스|space
merging: squash rebase 스쿼시|squash 리베이스|rebase
cloud: aws gcp azure
ci: jenkins circleci travis buildkite
api: REST graphql grpc SOAP
quotes: single double
theme: dark light 다크|dark 라이트|light
zone: utc kst pst est gmt cet
encoding: utf-8|utf-8 utf8|utf-8 euc-kr cp949 latin-1 utf-16
branch: main master develop trunk
license: MIT apache gpl bsd mpl agpl
case: snake_case camelcase kebab-case pascalcase
editor: vim neovim emacs vscode
orchestration: kubernetes nomad swarm
proxy: nginx caddy traefik haproxy envoy
"""
_CAPITAL = re.compile(r"[A-Z]")


def _named() -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """Of each name its kind and its plainest spelling; and how a name that is a common word as well must be written."""
    names: dict[str, tuple[str, str]] = {}
    spelled: dict[str, str] = {}
    for line in re.sub(r"\n ", " ", _ALTERNATIVES.strip()).split("\n"):
        kind, _, listed = line.partition(": ")
        for item in listed.split():
            spelling, _, plainest = item.partition("|")
            word = spelling.casefold()
            # As a statement has it: `postgres` without what looks like a plural.
            names[word] = names[inflected(word)] = (kind, plainest or word)
            if _CAPITAL.search(spelling):
                spelled[word] = spelling
    return names, spelled


NAMES, SPELLED = _named()
"""Names of things of which a subject has one at a time, with their kind; `SPELLED` are common words but for their capitals."""

_KINDS_OF_VERSIONS: Final = frozenset(
    ("database", "queue", "language", "frontend", "backend", "packages", "bundler", "tests", "orchestration", "proxy")
)
_OTHERS_OF_VERSIONS: Final = """
debian ubuntu fedora alpine macos android jdk openjdk gcc clang cuda terraform airflow spark dagster elasticsearch pydantic
nodejs 노드
"""


def has_versions(word: str) -> bool:
    """Whether the number behind a name is its version: PostgreSQL 16, and not tenant 16."""
    kind, _ = NAMES.get(word, ("", ""))
    return kind in _KINDS_OF_VERSIONS or word in _OTHERS_OF_VERSIONS.split()


@dataclass(frozen=True, slots=True)
class Number:
    """A number as its text gives it.

    Attributes:
        digits: as written, without its unit.
        dimension: ``time``, ``size``, ``share``; the unit itself where it is another one; empty where it has none.
        amounts: what it may be in the dimension's smallest unit: 1 MB is read both ways.
    """

    digits: str
    dimension: str
    amounts: frozenset[Fraction]

    def is_another(self, other: Number) -> bool:
        """Whether no reading of the two makes them one number, or one a rounded form of the other."""
        shares = {self.dimension, other.dimension} <= {"", "share"}
        if self.dimension != other.dimension and not shares:
            return False
        if self.amounts & other.amounts or (self.digits == other.digits and not self.amounts):
            return False
        parts, others = self.digits.split("."), other.digits.split(".")
        shared = min(len(parts), len(others))
        return self.dimension != other.dimension or len(parts) == len(others) or parts[:shared] != others[:shared]


_TIME = {
    "ms": Fraction(1, 1000),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "초"), Fraction(1)),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "분"), Fraction(60)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "시간"), Fraction(3600)),
    **dict.fromkeys(("d", "day", "days", "일"), Fraction(86400)),
    **dict.fromkeys(("week", "weeks", "주", "주일"), Fraction(604800)),
    "밀리초": Fraction(1, 1000),
}
_SIZES = {
    "b": 0,
    "byte": 0,
    "bytes": 0,
    "바이트": 0,
    "kb": 1,
    "kib": 1,
    "mb": 2,
    "mib": 2,
    "gb": 3,
    "gib": 3,
    "tb": 4,
    "tib": 4,
}
_SHARES = ("%", "percent", "퍼센트", "프로")
_WRITTEN = re.compile(r"=([-+]?\d{1,18}(?:\.\d{1,18}){0,3})([A-Za-z%]{0,4})")
_WORDS_FOR_NUMBERS = {
    word: str(number)
    for number, words in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), start=1
    )
    for word in (words,)
}
_KOREAN_NUMBERS = {"한": "1", "두": "2", "세": "3", "네": "4", "다섯": "5", "여섯": "6", "일곱": "7", "여덟": "8", "열": "10"}
COUNTERS = ("번", "회", "개", "명", "줄", "배")


def spelled_number(word: str, following: str) -> str | None:
    """A number that is written as a word, as it is written with digits; a Korean one only in front of what is counted."""
    if following in COUNTERS or following in _TIME:
        return _WORDS_FOR_NUMBERS.get(word) or _KOREAN_NUMBERS.get(word)
    return _WORDS_FOR_NUMBERS.get(word) if word not in ("one", "no") else None


def number(word: str, following: str) -> tuple[Number, bool] | None:
    """What a statement's word counts, and whether the word behind it is its unit. None where it is no plain number."""
    match = _WRITTEN.fullmatch(word)
    if match is None:
        return None
    digits, glued = match[1], match[2].casefold()
    unit = glued or following.removeprefix("=").casefold()
    amounts = _amounts(digits)
    behind = not glued
    if unit in _TIME:
        return Number(digits, "time", frozenset(amount * _TIME[unit] for amount in amounts)), behind
    if unit in _SIZES:
        powers = [Fraction(base) ** _SIZES[unit] for base in (1000, 1024)]
        return Number(digits, "size", frozenset(amount * power for amount in amounts for power in powers)), behind
    if unit in _SHARES:
        return Number(digits, "share", frozenset(amount / 100 for amount in amounts)), behind
    if glued:
        return None
    return Number(digits, "", frozenset(amounts)), False


def _amounts(digits: str) -> list[Fraction]:
    if digits.count(".") < 2:
        return [Fraction(digits)]
    return []
