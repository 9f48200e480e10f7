"""What the embedded extractor and the alignment of its quotes cost, and that the cost grows with the text alone.

  python benchmarks/bench_extraction.py [FILE_OR_FOLDER ...]

Reads session files of any format that is known; the examples' own when none is named. Bars: <= 30 ms of CPU for
100 messages, extraction and alignment together; ten times the text <= 15 times the cost.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from memory_assets.evidence.aligner import Aligner
from memory_assets.extraction.aligned_entries import align_entry
from memory_assets.extraction.dedupe import merge_entries
from memory_assets.extraction.rules import extract_window
from memory_assets.extraction.windows import shown_text, windows
from memory_assets.sessions.files import SourceFile, iter_source_files
from memory_assets.sessions.model import Message, SourceTaken
from memory_assets.sessions.reading import read_source


def histories(paths: Sequence[Path]) -> list[tuple[Message, ...]]:
    """The messages of every session in the files."""
    found: list[tuple[Message, ...]] = []
    for source in iter_source_files(paths):
        if isinstance(source, SourceFile):
            outcome = read_source(source.path, Path(source.path).read_bytes(), explicit=source.explicit)
            if isinstance(outcome, SourceTaken):
                found.extend(session.messages for session in outcome.sessions)
    return found


def cost(messages: Sequence[Message]) -> tuple[float, float, int]:
    """CPU-seconds of extraction, and of alignment with merging; and how many entries there are."""
    extracting = aligning = 0.0
    aligned = []
    aligner = Aligner()
    for window in windows(messages):
        started = time.process_time()
        entries = extract_window(messages, window)
        extracting += time.process_time() - started
        started = time.process_time()
        texts = [""] * len(messages)
        for index in range(window.context_start, window.end):
            texts[index] = messages[index].text if shown_text(messages[index]) else ""
        aligned += [align_entry(aligner, texts, entry) for entry in entries]
        aligning += time.process_time() - started
    started = time.process_time()
    merged = merge_entries(aligned)
    return extracting, aligning + time.process_time() - started, len(merged)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="*")
    arguments = parser.parse_args()
    talks = histories(arguments.paths or [Path(__file__).resolve().parents[1] / "examples" / "sessions"])
    count = sum(len(messages) for messages in talks)
    for told in ("first use in a process, patterns compiled on the way", "once they are"):
        costs = [cost(messages) for messages in talks]
        extracting, aligning = (sum(one[place] for one in costs) * 1000 / max(1, count) * 100 for place in (0, 1))
        print(f"{extracting:.1f} ms to extract and {aligning:.1f} ms to align, for 100 messages   bar 30   ({told})")
    print(f"{len(talks)} sessions, {count} messages, {sum(one[2] for one in costs)} entries")
    text = "We decided to keep the log, because the disk is cheap. 원인은 잘못된 오프셋 계산이다.\n"
    small, large = (sum(cost([Message("one", "user", text=text * times)])[:2]) for times in (2_000, 20_000))
    print(f"a message of ten times the text: {large / max(small, 1e-9):.1f} times the cost   bar 15")


if __name__ == "__main__":
    main()
