"""How a call ended: what a program prints of others is no failure of its own."""

import pytest

from memory_assets.court.detectors.traffic import Outcome, steps_of
from memory_assets_tests.court.talk import Talk

GEMINI = "Command: {command}\nDirectory: (root)\nStdout: {out}\nStderr: {err}\nError: (none)\nExit Code: {code}\nSignal: (none)"


def _outcome(talk: Talk) -> Outcome:
    (step,) = steps_of(talk.case())
    return step.outcome


@pytest.mark.parametrize(
    "command",
    [
        "cat ci/last.log",
        "curl -s https://ci.example/run/1/log",
        "curl -s localhost:9000/health | jq .",
        "cd app && tail -n 20 var/app.log",
        "git show HEAD~1:notes.txt",
        "git diff HEAD~1",
        "jq -r .message out.json",
        "less var/app.log",
        "head -5 a.log; grep -n x b.log",
        "sudo journalctl -u api",
        "docker logs api",
        "kubectl -n prod logs deploy/api",
        "gh run view 12 --log-failed",
        "make build >/dev/null; cat build.log",
        "timeout 5 wget -qO- https://ci.example/log",
        "LANG=C awk '{print}' a.log",
        "cat a.log || true",
        'echo "a; log"; cat a.log',
        "awk '{print; exit}' a.log",
        "# what's new\ncurl -s \\\n  https://ci.example/log",
    ],
)
@pytest.mark.parametrize(
    "output",
    [
        "Error: Cannot find module 'left-pad'",
        "fatal: unable to access 'https://example.com/a.git/'",
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad date',
        "The last run\nExit code 1\nbash: foo: command not found",
        "The user doesn't want to proceed with this tool use.",
    ],
)
def test_what_a_reader_shows_is_text_of_others(command: str, output: str) -> None:
    assert _outcome(Talk().runs(command, output)) == "worked"


@pytest.mark.parametrize("tool", ["Read", "WebFetch", "mcp__logs__tail"])
def test_so_is_what_a_tool_without_a_command_shows(tool: str) -> None:
    assert _outcome(Talk().uses(tool, {"path": "a.log"}, "Exit code 1\nError: no such table: audit")) == "worked"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest -q | tail -3", "ERROR: file or directory not found: test_x.py"),
        ("npm run build 2>&1 | head", "npm error Missing script: \"build\""),
        ("python load.py | grep -v DEBUG", "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad date"),
        ("cat > run.py <<'EOF'\nprint(x)\nEOF\npython run.py", "NameError: name 'x' is not defined"),
        ("cat a.py; python a.py", "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad date"),
        ("npm run build && cat out.log", "npm error Missing script: \"build\""),
        ("echo start; npm run build", "start\nnpm error Missing script: \"build\""),
        ("cat a.log", "Exit code 1\ncat: a.log: No such file or directory"),
        ("pytest > out.log; cat out.log", "Exit code 2\nERROR: file or directory not found: test_x.py"),
        ("pytest --quick", GEMINI.format(command="pytest --quick", out="(empty)", err="no such option", code=4)),
    ],
)  # fmt: skip
def test_what_a_program_says_of_itself_is_its_failure(command: str, output: str) -> None:
    assert _outcome(Talk().runs(command, output)) == "failed"


@pytest.mark.parametrize("command", ["cat a.log", "curl -s https://ci.example/log", "git show HEAD:a"])
def test_the_tool_itself_may_say_that_a_reader_failed(command: str) -> None:
    assert _outcome(Talk().runs(command, "Exit code 2\nno such file: a.log", failed=True)) == "failed"
    assert _outcome(Talk().runs(command, GEMINI.format(command=command, out="", err="no such file", code=2))) == "failed"
    assert _outcome(Talk().runs(command, GEMINI.format(command=command, out="Exit Code: 3", err="", code=0))) == "worked"


def test_no_rule_is_made_of_an_error_that_a_page_told() -> None:
    talk = Talk().user("Look at the runs.")
    for number, told in enumerate(("fatal: Could not resolve host: example.com", "Error: unknown option --fast", "42 passed")):
        talk.runs(f"curl -s https://ci.example/run/{number}/log", told)
    assert talk.found() == []


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (
            "cat data.json | python load.py",
            'Traceback (most recent call last):\n  File "load.py", line 1\nValueError: bad date',
        ),
        ("curl -s https://get.example/load.py | python3", "NameError: name 'x' is not defined"),
        ("cat names | xargs python load.py | tail -3", "NameError: name 'x' is not defined"),
        ("git show HEAD:load.py | python", "NameError: name 'x' is not defined"),
    ],
)
def test_a_program_behind_a_reader_speaks_of_itself(command: str, output: str) -> None:
    assert _outcome(Talk().runs(command, output)) == "failed"


@pytest.mark.parametrize(
    "command",
    ["cat a.log | tee b.log | wc -l", "cat names | xargs grep -n Error", "git log | cat | head -5"],
)
def test_readers_behind_each_other_show_words_of_others(command: str) -> None:
    assert _outcome(Talk().runs(command, "Traceback (most recent call last):\nValueError: bad date")) == "worked"
