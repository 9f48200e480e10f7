"""Pull requests, issues, addresses, files and commits that a text names by their ids.

Where a text names no repository the project stands in its place, so ``PR 12`` of two projects are two. What looks like an id
and is none (``SHA-256``, ``Node.js``, ``1.2.3``) is left alone: a task that waits for it would wait for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha1
from itertools import pairwise
from typing import Literal

from memory_assets.tasks.canonical import normalize, task_id, task_key
from memory_assets.tasks.completion_phrases import is_joined, says_settled
from memory_assets.vocabulary import ArtifactKind


@dataclass(frozen=True, slots=True)
class Reference:
    """An artifact that a text names.

    Attributes:
        canonical_key: ``art:gh_pr:owner/repo:12`` and so on.
        title: how it is shown.
        raw: as it stands in the text, from ``start`` to ``end`` (code points, half open).
        settles: the text says that it is merged, closed or done.
    """

    kind: ArtifactKind
    canonical_key: str
    title: str
    raw: str
    start: int
    end: int
    settles: bool = False


_NUMBER = r"(?P<number>[1-9][0-9]{0,6})"
_URL = re.compile(r"https?://[A-Za-z0-9][!-;=?-Z\[\]_a-z|~]{2,2000}", re.IGNORECASE)
_PARTS = re.compile(
    r"https?://(?:[^/?#@]{0,200}@)?(?P<host>[^/?#:\[\]]{1,253})(?::(?P<port>[0-9]{1,5}))?(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?:#.*)?",
    re.IGNORECASE,
)
_IN_GITHUB = re.compile(
    r"/(?P<repo>[\w.-]{1,100}/[\w.-]{1,100})/(?P<what>pull|issues|commit)/(?P<id>[0-9a-fA-F]{1,40})(?:[/?#]|\Z)"
)
_IN_JIRA = re.compile(r"/browse/(?P<key>[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6})(?:[/?#]|\Z)")
_IN_REPOSITORY = re.compile(
    r"(?:(?P<pr>\b(?:PR|pull request|MR)\s{1,3}))?(?<![\w./\-])(?P<repo>[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100})#"
    rf"{_NUMBER}(?![0-9A-Za-z_])",
    re.IGNORECASE,
)
# Behind these a number counts something.
_UNITS = r"days?|hours?|hrs|weeks?|months?|min(?:ute)?s?|times?|approvals?|reviews?|comments?|개|명|건|일|시간|주|차"
_COUNTED = rf"(?![0-9A-Za-z_%]|[.,:][0-9]|\s?(?:{_UNITS})\b)"
_PULL_REQUEST = re.compile(
    rf"(?<![A-Za-z0-9_/])(?:PRs?|pull[ -]requests?|MRs?|merge requests?|풀\s?리퀘스트|풀리퀘)\s{{0,2}}"
    rf"(?:no\.?\s?|number\s|번호\s?)?[-#!]?\s?{_NUMBER}(?:번|{_COUNTED})"
    rf"|(?<![\w.#]){_NUMBER.replace('number', 'before')}번\s?(?:PR|풀\s?리퀘스트|풀리퀘)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_ISSUE = re.compile(
    rf"(?<![A-Za-z0-9_/])(?:(?:issues?|이슈|fix(?:e[sd])?|close[sd]?|resolve[sd]?)\s{{0,2}}(?:no\.?\s?|번호\s?)?#\s?{_NUMBER}{_COUNTED}"
    rf"|(?:이슈|github issue)\s{{0,2}}{_NUMBER.replace('number', 'plain')}(?:번|(?![0-9A-Za-z_.]))"
    rf"|{_NUMBER.replace('number', 'before')}번\s?이슈)",
    re.IGNORECASE,
)
_ONE_MORE = re.compile(rf"\s{{0,2}}(?:,|and|&|및|와|과)\s{{0,2}}(?P<raw>#{_NUMBER}){_COUNTED}")
_HASH = re.compile(rf"(?<![\w&#/])#{_NUMBER}{_COUNTED}")
_JIRA = re.compile(r"(?<![A-Za-z0-9_.\-])(?P<prefix>[A-Z][A-Z0-9]{1,9})-[1-9][0-9]{0,5}(?![A-Za-z0-9_]|[.\-][0-9])")
_COMMIT = re.compile(
    r"(?:\bcommit|커밋)\s{0,2}(?:id|sha|hash|해시)?\s{0,2}[:#]?\s{0,2}[`'\"(]?(?P<sha>[0-9a-f]{7,40})(?![0-9A-Za-z_\-])"
    r"|(?<![0-9A-Za-z_\-])(?P<short>[0-9a-f]{7,40})[`'\")]?\s?커밋|(?<![0-9A-Za-z_\-/])(?P<whole>[0-9a-f]{40})(?![0-9A-Za-z_\-])"
)
_PATH = re.compile(r"[\w.@+~/\-]{3,}")
_EXTENSION = re.compile(r"(?P<extension>[A-Za-z][A-Za-z0-9]{0,9})[가-힣]*\Z")
_DOMAIN = re.compile(
    r"(?:[\w-]+\.)+(?:com|org|net|io|dev|co|kr|ai|app|edu|gov|jp|uk|de|me|so|sh|us|cloud|xyz|info|local)\Z", re.IGNORECASE
)

# Standards, ciphers, models and counts that are spelled like the key of a tracker.
_STANDARDS = """
UTF UCS SHA SHA1 SHA2 SHA3 MD ISO IEC IEEE ANSI ASCII LATIN GPT CVE CWE GHSA RFC AES DES RSA ECDSA ED HMAC HS RS ES PS CRC
COVID PEP JSR JEP EIP BIP ERC TLS SSL HTTP HTTPS USB WCAG GB CP WIN BASE INT UINT FP BF FLOAT RTX GTX LLAMA CLAUDE GEMINI
BERT PHI QWEN MPT YOLO CRC32 UTC GMT KST EST PST CET PHASE STEP STAGE DAY WEEK TOP TIER LEVEL VERSION PART SECTION ADR PR
MR H264 HDMI IPV IP X86 ARM MIPS MP DDR PCI SDK API CUDA PYTHON JAVA NODE OPT CHAPTER SPRINT MILESTONE ROUND LINE PAGE
OPTION QUARTER HEAD TASK BUG TODO ITEM
"""
_NO_TRACKER = frozenset(_STANDARDS.split())
_ENDINGS = """
py pyi ipynb ts tsx js jsx mjs cjs vue svelte go rs java kt kts scala swift c h cc cpp hpp cs fs rb php pl lua r jl ex exs erl
hs idr ml clj dart sql sh bash zsh ps1 bat md mdx rst txt adoc pdf docx xlsx pptx csv tsv json jsonl json5 yaml yml toml ini
cfg conf env properties lock xml html htm css scss less sass svg png jpg jpeg gif webp proto graphql gradle tf tfvars hcl
parquet duckdb sqlite db log patch diff zip tar gz whl jar wasm map snap tmpl j2 mod sum
"""
_EXTENSIONS = frozenset(_ENDINGS.split())
# Names of libraries that end like a file.
_NAMES_OF_LIBRARIES = """
node vue next nuxt three d3 express react angular ember backbone chart alpine moment p5 discord nest socket solid preact
deno bun day knockout require ext leaflet paper pixi video plotly bootstrap jquery electron gatsby
"""
_LIBRARIES = frozenset(_NAMES_OF_LIBRARIES.split())


def references_in(text: str, project_key: str, *, is_blocker: bool = False) -> list[Reference]:
    """Every artifact that a text names, each once, in its order; in what a task waits for a bare ``#12`` is one too.

    Linear in the text. Nothing is fetched or opened: a reference is what a text says.
    """
    rest = _Text(text)
    found = [
        *rest.take(_URL, _address, project_key),
        *rest.take(_IN_REPOSITORY, _of_repository, project_key),
        *rest.take(_PULL_REQUEST, _pull_request, project_key),
        *rest.take(_ISSUE, _issue, project_key),
        *rest.take(_JIRA, _ticket, project_key),
        *rest.take(_COMMIT, _commit, project_key),
    ]
    found += rest.take_more(found)
    if is_blocker:
        found += rest.take(_HASH, _issue, project_key)
    if "." in rest.left:
        found += rest.take(_PATH, _file, project_key)
    return _each_once(_with_what_settles(text, sorted(found, key=lambda reference: reference.start)))


def named_task(text: str) -> str | None:
    """The id of the task that a text names outright, as ``tsk_…`` or by its key ``task:project:name``; None otherwise."""
    if found := _TASK_ID.search(text):
        return found[0]
    if not (found := _TASK_KEY.search(text)):
        return None
    name, _, occurrence = found["name"].partition("#")
    name, number = normalize(name), int(occurrence) if _OCCURRENCE.fullmatch(occurrence) else 1
    return task_id(task_key(found["project"], name, number)) if name else None


_TASK_ID = re.compile(r"(?<![0-9A-Za-z_])tsk_[0-9a-f]{32}(?![0-9A-Za-z_])")
_TASK_KEY = re.compile(
    r"(?<![0-9A-Za-z_:])task:(?P<project>[^\s:\ud800-\udfff][^\n:\ud800-\udfff]{0,200}):(?P<name>[^\s:][^\n:]{0,400})"
)
_OCCURRENCE = re.compile(r"[0-9]{1,4}")


class _Text:
    """A text of which what was recognised is blotted out, so that no part is two references."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.left = text

    def take(
        self, pattern: re.Pattern[str], meaning: Callable[[re.Match[str], str], Reference | None], project_key: str
    ) -> list[Reference]:
        found = [reference for match in pattern.finditer(self.left) if (reference := meaning(match, project_key)) is not None]
        self._blot(found)
        return found

    def take_more(self, found: list[Reference]) -> list[Reference]:
        """``#13`` of ``PR #12 and #13``: of the kind and repository before it."""
        more: list[Reference] = []
        for reference in found:
            if reference.kind not in ("gh_pr", "gh_issue"):
                continue
            last = reference
            while match := _ONE_MORE.match(self.left, last.end):
                repository = last.canonical_key.rpartition(":")[0]
                title = f"{last.title.rpartition('#')[0]}#{match['number']}"
                key, start, end = f"{repository}:{match['number']}", match.start("raw"), match.end("raw")
                last = Reference(reference.kind, key, title, match["raw"], start, end)
                more.append(last)
        self._blot(more)
        return more

    def _blot(self, found: list[Reference]) -> None:
        pieces: list[str] = []
        done = 0
        for reference in sorted(found, key=lambda reference: reference.start):
            pieces += [self.left[done : reference.start], "\x00" * (reference.end - reference.start)]
            done = reference.end
        self.left = "".join([*pieces, self.left[done:]])


def _address(match: re.Match[str], project_key: str) -> Reference | None:
    raw = _without_punctuation(match[0])
    if not (parts := _PARTS.fullmatch(raw)):
        return None
    host, path = parts["host"].lower().removeprefix("www."), parts["path"] or ""
    start, end = match.start(), match.start() + len(raw)
    if host == "github.com" and (known := _IN_GITHUB.match(path + "/")):
        repository = known["repo"]
        if known["what"] == "commit" and len(known["id"]) >= 7:
            return _commit_of(known["id"].lower(), repository, raw, start, end)
        if known["what"] != "commit" and known["id"].isdecimal():
            return _numbered("gh_pr" if known["what"] == "pull" else "gh_issue", repository, known["id"], raw, start, end)
    if known := _IN_JIRA.search(path):
        return Reference("jira", f"art:jira:{known['key']}", known["key"], raw, start, end)
    port = f":{parts['port']}" if parts["port"] not in (None, "80", "443") else ""
    place = f"{host}{port}{path.rstrip('/')}{parts['query'] or ''}"
    key = sha1(f"https://{place}".encode(), usedforsecurity=False).hexdigest()
    return Reference("url", f"art:url:{key}", place[:120], raw, start, end)


def _without_punctuation(raw: str) -> str:
    """Without what belongs to the sentence: a full stop, a bracket that was opened before the address."""
    end = len(raw)
    opened, closed = raw.count("("), raw.count(")")
    while end and (raw[end - 1] in ".,;:!?'*_~|]" or (raw[end - 1] == ")" and closed > opened)):
        closed -= raw[end - 1] == ")"
        end -= 1
    return raw[:end]


def _of_repository(match: re.Match[str], _: str) -> Reference:
    kind: ArtifactKind = "gh_pr" if match["pr"] else "gh_issue"
    return _numbered(kind, match["repo"], match["number"], match[0], match.start(), match.end())


def _pull_request(match: re.Match[str], project_key: str) -> Reference:
    return _numbered_here("gh_pr", match, project_key)


def _issue(match: re.Match[str], project_key: str) -> Reference:
    return _numbered_here("gh_issue", match, project_key)


def _numbered_here(kind: Literal["gh_pr", "gh_issue"], match: re.Match[str], project_key: str) -> Reference:
    number = next(filter(None, match.groups()))
    title = f"PR #{number}" if kind == "gh_pr" else f"issue #{number}"
    return Reference(kind, f"art:{kind}:{project_key}:{number}", title, match[0], match.start(), match.end())


def _numbered(kind: ArtifactKind, repository: str, number: str, raw: str, start: int, end: int) -> Reference:
    # A hosting site does not tell `Owner/Repo` from `owner/repo`.
    return Reference(kind, f"art:{kind}:{repository.lower()}:{int(number)}", f"{repository}#{int(number)}", raw, start, end)


def _ticket(match: re.Match[str], _: str) -> Reference | None:
    if match["prefix"] in _NO_TRACKER:
        return None
    return Reference("jira", f"art:jira:{match[0]}", match[0], match[0], match.start(), match.end())


def _commit(match: re.Match[str], project_key: str) -> Reference | None:
    group = next(name for name, value in match.groupdict().items() if value)
    sha = match[group]
    if sha.isdecimal() or sha.isalpha():
        return None
    return _commit_of(sha, project_key, sha, match.start(group), match.end(group))


def _commit_of(sha: str, repository: str, raw: str, start: int, end: int) -> Reference:
    # By its first seven digits, so that its short and its whole name are one.
    return Reference("commit", f"art:commit:{repository.lower()}:{sha[:7]}", sha[:12], raw, start, end)


def _file(match: re.Match[str], project_key: str) -> Reference | None:
    run = match[0].rstrip(".-~+@/")
    folder, slash, name = run.rpartition("/")
    stem, dot, last = name.rpartition(".")
    ending = _EXTENSION.match(last)
    if not dot or not ending or not any(map(str.isalnum, stem)) or match.string[match.end() : match.end() + 1] == "(":
        return None
    extension = ending["extension"]
    if extension not in _EXTENSIONS and not (slash and extension.islower() and len(extension) <= 5):
        return None
    if _DOMAIN.match(folder.partition("/")[0] if slash else name) and not folder.startswith((".", "/", "~")):
        return None
    if not slash and ((extension == "js" and stem.lower() in _LIBRARIES) or len(stem) > 100):
        return None
    raw = run[: len(run) - len(last) + len(extension)]
    # Agents are shown a file with an `@` before it.
    path = raw.removeprefix("@").removeprefix("./")
    return Reference("file", f"art:file:{project_key}:{path}", path[-120:], raw, match.start(), match.start() + len(raw))


def _with_what_settles(text: str, found: list[Reference]) -> Iterator[Reference]:
    """Each with whether the text says that it is settled; of ``PR 1 and PR 2 are merged`` both are."""
    settled = [says_settled(text, reference.start, reference.end) for reference in found]
    joined = [is_joined(text[one.end : other.start]) for one, other in pairwise(found)]
    for place in reversed(range(len(joined))):
        settled[place] = settled[place] or (joined[place] and settled[place + 1] == "behind" and "behind") or None
    for place in range(len(joined)):
        settled[place + 1] = settled[place + 1] or (joined[place] and settled[place] == "before" and "before") or None
    for reference, says in zip(found, settled, strict=True):
        yield replace(reference, settles=says is not None)


def _each_once(found: Iterator[Reference]) -> list[Reference]:
    """The first of each artifact; it is settled where any of them is said to be."""
    kept: dict[str, Reference] = {}
    for reference in found:
        first = kept.setdefault(reference.canonical_key, reference)
        if reference.settles and not first.settles:
            kept[reference.canonical_key] = replace(first, settles=True)
    return list(kept.values())
