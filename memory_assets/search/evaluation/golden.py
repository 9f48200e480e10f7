"""Golden questions: what somebody wants search to find, in a file of their own.

The file is YAML, which JSON is too, read without anything that could make more of it than values. What is wrong in it is said
with the number of the question, and nothing of it is guessed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError

from memory_assets.citations.addresses import MemoryCitation, MessageCitation, NotACitation, SpanCitation, parse_citation
from memory_assets.identifiers import canonical_json, sha256_hex
from memory_assets.search.errors import GoldenInvalidError
from memory_assets.vocabulary import AskedMode

if TYPE_CHECKING:
    import yaml

MOST_QUESTIONS = 5_000
MOST_CHARACTERS = 4_000_000
DEFAULT_K = 10

_DEEPEST = 8
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_Phrase = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
_Phrases = Annotated[list[_Phrase], Field(max_length=1_000)]
_Answers = Annotated[_Phrases, BeforeValidator(lambda given: [given] if isinstance(given, str) else given)]
_Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """One question and what is expected of its answer.

    Attributes:
        question_id: its author's own, or made of its hash.
        question_hash: of everything that is asked and expected.
        expected: addresses, ``mem:…`` and ``session:…``, each of which a hit should be.
        contains: phrases, each of which a hit should hold.
        must_contain: phrases that should stand somewhere in what is delivered.
        forbidden: phrases and addresses that no hit may hold or be.
        answers: ways to say the answer, of which the nearest counts; ``unanswerable`` where the store does not hold it.
    """

    question_id: str
    question_hash: str
    query: str
    k: int
    mode: str | None
    project: str | None
    expected: tuple[str, ...]
    contains: tuple[str, ...]
    must_contain: tuple[str, ...]
    forbidden: tuple[str, ...]
    answers: tuple[str, ...] = ()
    unanswerable: bool = False

    @property
    def expects(self) -> bool:
        """Whether what search finds for it can be measured at all."""
        return bool(self.expected or self.contains or self.must_contain or self.forbidden)

    @property
    def expects_answer(self) -> bool:
        """Whether its answer can be measured: what it should say, what it should cite, or that there is none."""
        return bool(self.answers or self.expected or self.unanswerable)


@dataclass(frozen=True, slots=True)
class GoldenSuite:
    """The questions of a file.

    Attributes:
        bars: the least that each metric has to reach; of ``forbidden_hits`` the most that it may be, 0 where nothing is said.
    """

    name: str
    bars: dict[str, float]
    questions: tuple[GoldenQuestion, ...]

    @property
    def suite_hash(self) -> str:
        """Of the questions, in any order."""
        return sha256_hex(canonical_json(sorted(question.question_hash for question in self.questions)))[:32]


class _Strict(BaseModel):
    # What was raised is kept with its causes where a run of Dagster fails; the author's text is not to be.
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class _Bars(_Strict):
    hit_at_k: _Share | None = None
    mrr: _Share | None = None
    recall_at_k: _Share | None = None
    precision_at_k: _Share | None = None
    must_contain: _Share | None = None
    answer_recall: _Share | None = None
    citation_precision: _Share | None = None
    citation_recall: _Share | None = None
    answered: _Share | None = None
    refused: _Share | None = None
    auc: _Share | None = None
    forbidden_hits: Annotated[int, Field(ge=0)] = 0


class _Question(_Strict):
    id: str | None = None
    query: _Phrase
    k: Annotated[int, Field(ge=1, le=1000)] | None = None
    mode: AskedMode | None = None
    project: _Phrase | None = None
    expected: _Phrases = []
    contains: _Phrases = []
    must_contain: _Phrases = []
    forbidden: _Phrases = []
    answer: _Answers = []
    unanswerable: bool = False


class _File(_Strict):
    suite: Annotated[str, StringConstraints(pattern=rf"^{_ID.pattern}$")] | None = None
    k: Annotated[int, Field(ge=1, le=1000)] = DEFAULT_K
    bars: _Bars = _Bars()
    questions: Annotated[list[_Question], Field(max_length=MOST_QUESTIONS)] = []


def parse_golden(text: str, *, name: str = "golden") -> GoldenSuite:
    """The questions of a file's text.

    Args:
        name: of the suite, where the file gives it none: runs of one name are compared with each other.

    Raises:
        GoldenInvalidError: no YAML, a key that nobody reads, an address that is none, an id that stands twice.
    """
    if len(text) > MOST_CHARACTERS:
        raise GoldenInvalidError(f"{len(text):,} characters are too many: {MOST_CHARACTERS:,} at the most")
    try:
        file = _File.model_validate(_loaded(text) or {})
    except ValidationError as error:
        first = error.errors()[0]
        # What stands there is not repeated: it is the user's own text.
        raise GoldenInvalidError(f"{_place(first['loc'])}: {_reason(first['type'], first['msg'])}") from error
    questions = tuple(_question(number, one, file.k) for number, one in enumerate(file.questions, start=1))
    seen: set[str] = set()
    for number, question in enumerate(questions, start=1):
        if question.question_id in seen:
            raise GoldenInvalidError(f"question {number}: its id stands there twice: {question.question_id}")
        seen.add(question.question_id)
    return GoldenSuite(
        name=file.suite or name,
        bars={name: float(bar) for name, bar in file.bars.model_dump().items() if bar is not None},
        questions=questions,
    )


def is_suite_name(text: str) -> bool:
    """Whether a suite can be called so: its name is kept in the log, where no text of its author belongs."""
    return _ID.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Whether an expectation is meant as an address."""
    return text.startswith(("mem:", "session:"))


def _loaded(text: str) -> Any:
    import yaml

    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        depth = 0
        for event in yaml.parse(text, Loader=fast):
            # The fast loader calls itself for what is nested, on a stack that nobody guards: a deep file would end the process.
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise GoldenInvalidError(f"line {event.start_mark.line + 1}: nothing is nested so deep in it")
        loader = fast(text)
        node = loader.get_single_node()
        if node is None:
            return None
        if (line := _key_again(node)) is not None:
            raise GoldenInvalidError(f"line {line}: a key stands there twice", hint="its other value would not be read")
        return loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        where = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise GoldenInvalidError(f"{where}{error.problem or 'no YAML'}") from error
    except (yaml.YAMLError, ValueError) as error:
        raise GoldenInvalidError(f"no YAML: {type(error).__name__}") from error


def _key_again(root: yaml.Node) -> int | None:
    """The line of the first key that its mapping holds already: YAML takes the later value, and nobody hears of the other."""
    import yaml

    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen or isinstance(node, yaml.ScalarNode):
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
            continue
        keys = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in keys:
                return int(key.start_mark.line) + 1
            keys.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
            waiting += (key, value)
    return None


def _question(number: int, given: _Question, default_k: int) -> GoldenQuestion:
    for text in (*given.expected, *filter(is_address, given.forbidden)):
        parsed = parse_citation(text)
        if not isinstance(parsed, MemoryCitation | MessageCitation | SpanCitation):
            reason = parsed.reason if isinstance(parsed, NotACitation) else "neither mem:… nor session:…"
            raise GoldenInvalidError(
                f"question {number}: no address, {reason}",
                hint="phrases stand under contains, must_contain or forbidden",
            )
    if given.unanswerable and (given.answer or given.expected or given.contains or given.must_contain):
        raise GoldenInvalidError(f"question {number}: it is unanswerable, and something is expected of it")
    asked: dict[str, Any] = {
        "query": unicodedata.normalize("NFC", given.query),
        "k": given.k or default_k,
        "mode": given.mode,
        "project": given.project,
        "expected": sorted(given.expected),
        "contains": sorted(given.contains),
        "must_contain": sorted(given.must_contain),
        "forbidden": sorted(given.forbidden),
    }
    # Only where they are said: a question without them is the one that it was before there were any.
    asked |= {"answer": sorted(given.answer)} if given.answer else {}
    asked |= {"unanswerable": True} if given.unanswerable else {}
    question_hash = sha256_hex(canonical_json(asked))[:32]
    question_id = f"q-{question_hash[:12]}" if given.id is None else given.id
    if not _ID.fullmatch(question_id):
        raise GoldenInvalidError(
            f"question {number}: its id is none",
            hint="up to 64 letters, digits, dots, dashes: ids are kept in the log, texts not",
        )
    return GoldenQuestion(
        question_id=question_id,
        question_hash=question_hash,
        query=given.query,
        k=given.k or default_k,
        mode=given.mode,
        project=given.project,
        expected=tuple(dict.fromkeys(given.expected)),
        contains=tuple(dict.fromkeys(given.contains)),
        must_contain=tuple(dict.fromkeys(given.must_contain)),
        forbidden=tuple(dict.fromkeys(given.forbidden)),
        answers=tuple(dict.fromkeys(given.answer)),
        unanswerable=given.unanswerable,
    )


def _place(location: tuple[int | str, ...]) -> str:
    match location:
        case ("questions", int(number), *keys):
            return f"question {number + 1}" + "".join(f", {key}" for key in keys)
        case ():
            return "the file"
        case _:
            return ".".join(map(str, location))


def _reason(kind: str, message: str) -> str:
    return {"extra_forbidden": "there is no such key", "model_type": "keys and values are wanted here"}.get(kind, message)
