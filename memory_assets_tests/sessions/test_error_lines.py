"""The line that tells what went wrong, and what two of them have in common."""

import time

import pytest

from memory_assets.sessions.error_lines import ErrorLine, telling_line

TRACE = """Traceback (most recent call last):
  File "app.py", line 3, in <module>
    import yaml
ModuleNotFoundError: No module named 'yaml'
"""
CHAINED = f"""{TRACE}
During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "app.py", line 9, in load
    raise ConfigError("no settings")
app.errors.ConfigError: no settings
"""
GO_TEST = """[test] $ go test ./...
Error: context deadline exceeded
fatal: Could not read from remote repository.
--- FAIL: TestSave (0.06s)
    wingman_test.go:176: failed to save state
fatal: Could not read from remote repository.
FAIL
"""
PYTEST = """..F
E   AssertionError: assert 3 == 4
FAILED tests/test_sum.py::test_sum - AssertionError: assert 3 == 4
"""


def told(output: str, *, failed: bool = True) -> str | None:
    line = telling_line(output, failed=failed)
    if line is not None:
        assert output[line.start : line.end] == line.text
    return line.text if line else None


@pytest.mark.parametrize("failed", [True, False])
@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (TRACE, "ModuleNotFoundError: No module named 'yaml'"),
        (CHAINED, "app.errors.ConfigError: no settings"),
        (f"checking\n{TRACE}done\n", "ModuleNotFoundError: No module named 'yaml'"),
        ("npm error code E404\nnpm error 404 No match for 4.41.0\n", "npm error 404 No match for 4.41.0"),
        ("fatal: not a git repository\n", "fatal: not a git repository"),
        ("zsh: command not found: mise", "zsh: command not found: mise"),
        ("cat: notes.md: No such file or directory", "cat: notes.md: No such file or directory"),
        ("error[E0382]: borrow of moved value: `x`\n --> src/main.rs:4:5\n", "error[E0382]: borrow of moved value: `x`"),
        ("\x1b[31mTypeError: x is not a function\x1b[0m\n    at run (app.js:3:5)", "TypeError: x is not a function"),
        ("Error: can't load config: unsupported version\r\n", "Error: can't load config: unsupported version"),
        (GO_TEST, "wingman_test.go:176: failed to save state"),
        (PYTEST, "FAILED tests/test_sum.py::test_sum - AssertionError: assert 3 == 4"),
    ],
)  # fmt: skip
def test_the_telling_line_is_found_whether_or_not_it_is_known_that_it_failed(output: str, expected: str, failed: bool) -> None:
    if not failed and output is GO_TEST:
        expected = "--- FAIL: TestSave (0.06s)"
    assert told(output, failed=failed) == expected


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("list/data.go:685:2: declared and not used: repo\n1 issues:\n", "list/data.go:685:2: declared and not used: repo"),
        ("src/app.ts(3,7): error TS2304: Cannot find name 'x'.", "src/app.ts(3,7): error TS2304: Cannot find name 'x'."),
        ("Exit code 1\n오류: 데이터베이스에 연결할 수 없습니다\n", "오류: 데이터베이스에 연결할 수 없습니다"),
        ('Process exited with code 1\nUnknown JSON field: "actor"\n', 'Unknown JSON field: "actor"'),
        ("[lint:go] pkg/a.go:3:1: exported func X should have comment", "pkg/a.go:3:1: exported func X should have comment"),
    ],
)  # fmt: skip
def test_other_lines_tell_it_only_of_what_failed(output: str, expected: str) -> None:
    assert told(output) == expected
    assert told(output, failed=False) is None


@pytest.mark.parametrize(
    "output",
    [
        "",
        "Exit code 1",
        "[lint] ERROR task failed\nexit status 1\n",
        "Error: Process completed with exit code 2.",
        "12→ValueError: raised when the file is empty\n",
        "ok  \tentire.io/cli\t2.062s\n0 errors, 0 failed\n",
        "We saw an error yesterday and talked about exceptions.",
        "make: *** [test] Error 1",
    ],
)
def test_what_tells_nothing_is_no_telling_line(output: str) -> None:
    assert told(output) is None


def test_it_says_how_many_errors_are_told_of_beside_it() -> None:
    line = telling_line("a.go:1:2: unused: x\nb.go:7:9: unused: x\nc.go:3:3: missing return\n", failed=True)
    assert line is not None and (line.text, line.others) == ("a.go:1:2: unused: x", 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cmd/list/data.go:685:2: declared and not used: repo", "pkg/x.go:7:11: declared and not used: repo"),
        ("cat: /home/kim/notes.md: No such file or directory", "cat: /srv/notes.md: No such file or directory"),
        ("ConnectionError: 127.0.0.1:5432 refused at 0x7f00aa", "connectionerror: 10.0.0.2:5433 refused at 0x12ab"),
        ("--- FAIL: TestSave (0.06s)", "--- FAIL: TestSave (1.20s)"),
        ("오류: 3번째 줄을 읽지 못했습니다", "오류: 14번째 줄을 읽지 못했습니다."),
    ],
)
def test_the_same_error_has_one_tag_wherever_it_happens(one: str, other: str) -> None:
    tags = {ErrorLine(0, len(text), text).tag for text in (one, other)}
    assert len(tags) == 1 and "" not in tags


def test_other_errors_have_other_tags() -> None:
    lines = ("TypeError: x is not a function", "TypeError: y is not a function", "ValueError: x is not a function")
    assert len({ErrorLine(0, len(text), text).tag for text in lines}) == 3


@pytest.mark.parametrize(
    "piece", ["Traceback (most recent call last):\n", "Error: ", "a/", "[x] ", "E   ", "x.go:1:", "  | ", "\x1b[0m"]
)
def test_the_time_is_linear(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    started = time.process_time()
    for failed in (True, False):
        line = telling_line(text, failed=failed)
        if line is not None:
            assert len(line.tag) <= 120
    assert time.process_time() - started < 0.5
