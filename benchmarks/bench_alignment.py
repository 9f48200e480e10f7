"""How exact and how fast a damaged quote is found again, on the repository's own text.

  python benchmarks/bench_alignment.py [--seed 1] [--quotes 200]

Exactness: quotes of the documentation and of the sample sessions (English and Korean) are damaged in a known way and
aligned again; a span counts when both ends are those of the undamaged quote. Speed: CPU of the same calls beside
rapidfuzz's ``partial_ratio_alignment``, and langextract's aligner where that is installed, at several lengths.

Bars: unchanged 100 %, whitespace, case and spacing >= 99.5 %, typos >= 97 %; a changed fact is never accepted
without a flag; an invented quote never at all. Typos within 30x of rapidfuzz at 2,000 characters and 4x at 200,000;
whitespace >= 30x langextract, typos >= 10x at 2,000 and >= 100x from 20,000 on.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rapidfuzz import fuzz

from memory_assets.evidence.aligner import Aligner
from memory_assets.evidence.model import AlignedEvidence, Evidence

ROOT = Path(__file__).resolve().parents[1]
LENGTHS = (2_000, 20_000, 200_000)
Damage = Callable[[random.Random, str], str]


def texts() -> str:
    """Everything that was written for people in this repository, in one text."""
    documents = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    for path in sorted((ROOT / "examples" / "sessions").iterdir()):
        documents.append(path.read_text(encoding="utf-8"))
        if path.suffix == ".json":  # its Korean is written as escapes
            documents.append(json.dumps(json.loads(documents.pop()), ensure_ascii=False, indent=1))
    return "\n\n".join(documents)


def unchanged(rng: random.Random, quote: str) -> str:
    return quote


def whitespace(rng: random.Random, quote: str) -> str:
    return re.sub(r"\s+", lambda match: rng.choice(["  ", "\n", "\t", "\u00a0"]), quote)


def case(rng: random.Random, quote: str) -> str:
    return quote.swapcase()


def spacing(rng: random.Random, quote: str) -> str:
    return re.sub(r"(?<=[가-힣]) (?=[가-힣])", lambda match: rng.choice(["", " "]), quote)


def typos(rng: random.Random, quote: str) -> str:
    """One letter in thirty is another one."""
    letters = list(quote)
    inner = [place for place, letter in enumerate(letters) if letter.isalpha() and 5 < place < len(letters) - 5]
    for place in rng.sample(inner, max(1, len(letters) // 30)):
        hangul = "가" <= letters[place] <= "힣"
        letters[place] = chr(ord("가") + rng.randrange(11_172)) if hangul else rng.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(letters)


def another_number(rng: random.Random, quote: str) -> str:
    return re.sub(r"\d", lambda match: str((int(match.group()) + 3) % 10), quote, count=1)


def quotes(rng: random.Random, text: str, count: int, pattern: str = "") -> Iterator[str]:
    """Stretches of 40 to 160 characters, from word to word, that stand once in the text."""
    starts = [match.start() for match in re.finditer(r"(?<=\s)\w", text)]
    found = 0
    while found < count:
        start = rng.choice(starts)
        quote = re.sub(r"\W+$", "", text[start : start + rng.randint(40, 160)].rsplit(None, 1)[0])
        if len(quote) >= 40 and text.count(quote) == 1 and re.search(pattern, quote):
            found += 1
            yield quote


def exactness(rng: random.Random, text: str, count: int) -> None:
    aligner = Aligner()
    for damage, pattern, bar in (
        (unchanged, "", "100 %"),
        (whitespace, r"\s", "99.5 %"),
        (case, "[a-z]", "99.5 %"),
        (spacing, "[가-힣] [가-힣]", "99.5 %"),
        (typos, "", "97 %"),
    ):
        exact = 0
        for quote in quotes(rng, text, count, pattern):
            found = aligner.align([text], damage(rng, quote), 0)
            exact += isinstance(found, AlignedEvidence) and text[found.span_start : found.span_end] == quote
        print(f"  {damage.__name__:16s} {100 * exact / count:6.2f} % exact of {count}   bar {bar}")
    silent = sum(_accepts(aligner.align([text], another_number(rng, quote), 0)) for quote in quotes(rng, text, count, r"\d"))
    print(f"  {'another number':16s} {silent} of {count} accepted without a flag   bar 0")
    half = len(text) // 2
    elsewhere = [quote for quote in quotes(rng, text[half:], count) if quote not in text[:half]]
    invented = sum(isinstance(aligner.align([text[:half]], quote, 0), AlignedEvidence) for quote in elsewhere)
    print(f"  {'not in the text':16s} {invented} of {len(elsewhere)} accepted   bar 0")


def _accepts(found: Evidence) -> bool:
    return isinstance(found, AlignedEvidence) and not found.critical


def speed(rng: random.Random, text: str) -> None:
    while len(text) < max(LENGTHS) * 2:
        paragraphs = text.split("\n\n")
        text += "\n\n".join(rng.sample(paragraphs, len(paragraphs)))
    peers: dict[str, Callable[[str, str], object]] = {"rapidfuzz": _rapidfuzz}
    langextract = _langextract()
    if langextract is not None:
        peers["langextract"] = langextract
    for length in LENGTHS:
        starts = [rng.randrange(len(text) - length) for _ in range(4)]
        parts = [text[start : start + length] for start in starts]
        for damage in (unchanged, whitespace, typos):
            jobs = [(damage(rng, part[at : at + 100]), part) for part in parts for at in range(200, 1_200, 200)]
            aligner = Aligner()
            ours = _per_call(lambda quote, part, aligner=aligner: aligner.align([part], quote, 0), jobs)
            line = f"  {length:7,d} characters, {damage.__name__:10s} {ours * 1e6:8.0f} us"
            for name, peer in peers.items():
                line += f"   {_per_call(peer, jobs, budget=4.0) / ours:9.2f} x as fast as {name}"
            print(line)
    if langextract is None:
        print("  (langextract is not installed: no comparison with it)")


def _per_call(call: Callable[[str, str], object], jobs: list[tuple[str, str]], budget: float = 60.0) -> float:
    """CPU-seconds of a call, over the jobs, or those that fit into the budget."""
    start = time.process_time()
    done = 0
    for quote, part in jobs:
        call(quote, part)
        done += 1
        if time.process_time() - start > budget:
            break
    return (time.process_time() - start) / done


def _rapidfuzz(quote: str, part: str) -> object:
    return fuzz.partial_ratio_alignment(quote, part)


def _langextract() -> Callable[[str, str], object] | None:
    try:
        from langextract import resolver
        from langextract.core import data
    except ImportError:
        return None
    aligner = resolver.WordAligner()

    def align(quote: str, part: str) -> object:
        wanted = data.Extraction(extraction_class="quote", extraction_text=quote)
        return list(aligner.align_extractions([[wanted]], part, accept_match_lesser=False))

    return align


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quotes", type=int, default=200)
    chosen = parser.parse_args()
    text = texts()
    print(f"exactness, {len(text):,d} characters of text")
    exactness(random.Random(chosen.seed), text, chosen.quotes)
    print("CPU a call")
    speed(random.Random(chosen.seed), text)


if __name__ == "__main__":
    main()
