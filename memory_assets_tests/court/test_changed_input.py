"""Which change of an input explains that a call worked: each pair of failures and successes one lesson, or none."""

from typing import Any

import pytest

from memory_assets_tests.court.talk import Talk

Steps = tuple[tuple[Any, ...], ...]
EXIT = "Exit code 1\n"
EXPLAINED: list[Steps] = [
    (("python a.py", EXIT + "zsh: command not found: python", True), ("python3 a.py", "ok")),
    (("npm test", EXIT + 'npm error Missing script: "test"', True), ("npm run test:unit", "3 passed")),
    (
        ("docker-compose up -d", "Exit code 127\nzsh: command not found: docker-compose", True),
        ("docker compose up -d", "Started"),
    ),
    (
        (
            "git push",
            "fatal: The current branch feat/x has no upstream branch.\nUse\n\n    git push --set-upstream origin feat/x",
            True,
        ),
        ("git push -u origin feat/x", "branch 'feat/x' set up"),
    ),
    (("sed -i 's/a/b/' x.txt", EXIT + 'sed: 1: "x.txt": invalid command code x', True), ("sed -i '' 's/a/b/' x.txt", "")),
    (("ls *.py", EXIT + "zsh: no matches found: *.py", True), ("ls '*.py'", "x.py")),
    (("grep -P '\\d+' a.txt", "Exit code 2\ngrep: invalid option -- P", True), ("grep -E '[0-9]+' a.txt", "12")),
    (
        (
            "cargo run",
            EXIT + "error: `cargo run` could not determine which binary to run. Use the `--bin` option to specify a binary",
            True,
        ),
        ("cargo run --bin server", "listening"),
    ),
    (
        ("pip install ruff", EXIT + "error: externally-managed-environment", True),
        ("pip install --break-system-packages ruff", "ok"),
    ),
    (("rm build", EXIT + "rm: cannot remove 'build': Is a directory", True), ("rm -r build", "")),
    (
        ("npm start", EXIT + "Error: listen EADDRINUSE: address already in use :::3000", True),
        ("PORT=3001 npm start", "listening on 3001"),
    ),
    (("pytest tests", EXIT + "ERROR: DATABASE_URL is not set", True), ("DATABASE_URL=sqlite:// pytest tests", "4 passed")),
    (("cd app && npm run build", EXIT + "(eval):cd:1: no such file or directory: app", True), ("npm run build", "built")),
    (
        ("psql -d shop -c 'select 1'", EXIT + 'psql: error: FATAL: role "root" does not exist', True),
        ("psql -U postgres -d shop -c 'select 1'", "1"),
    ),
    (
        ("git commit -m fix the bug", EXIT + "error: pathspec 'the' did not match any file(s) known to git", True),
        ("git commit -m 'fix the bug'", "[main 1]"),
    ),
    (
        ("terraform plan", EXIT + "Error: No value for required variable", True),
        ("terraform plan -var-file=dev.tfvars", "Plan: 1"),
    ),
    (
        ("python -m unittest tests.test_a", EXIT + "ModuleNotFoundError: No module named 'shop'", True),
        ("PYTHONPATH=src python -m unittest tests.test_a", "OK"),
    ),
    (("javac A.java", EXIT + "error: invalid target release: 21", True), ("JAVA_HOME=/opt/jdk21 javac A.java", "")),
    (
        ("kubectl get pods -l app=x", EXIT + "Error from server (Forbidden): pods is forbidden", True),
        ("kubectl -n staging get pods -l app=x", "x 1/1"),
    ),
    (
        (
            "Read",
            {"file_path": "/a/big.log"},
            "File content (31000 tokens) exceeds maximum allowed tokens (25000). Please use offset and limit parameters",
            True,
        ),
        ("Read", {"file_path": "/a/big.log", "offset": 1, "limit": 200}, "1 x", False),
    ),
    (
        ("mcp__cal__create", {"date": "03/04/2026"}, "Error: date must be ISO 8601", True),
        ("mcp__cal__create", {"date": "2026-04-03"}, "created", False),
    ),
    (
        (
            "WebFetch",
            {"url": "https://github.com/a/b/blob/main/x.py", "prompt": "read"},
            "Request failed with status code 404",
            True,
        ),
        ("WebFetch", {"url": "https://raw.githubusercontent.com/a/b/main/x.py", "prompt": "read"}, "def x", False),
    ),
    (
        (
            "Edit",
            {"file_path": "/a.py", "old_string": "x = 1", "new_string": "x = 2"},
            "<tool_use_error>Found 3 matches but replace_all is false. Set replace_all to true.</tool_use_error>",
            True,
        ),
        ("Edit", {"file_path": "/a.py", "old_string": "x = 1", "new_string": "x = 2", "replace_all": True}, "updated", False),
    ),
    (
        ("Bash", {"command": "npm publish"}, "Exit code 1\nEPERM: operation not permitted, open '/home/node/.npm'", True),
        ("Bash", {"command": "npm publish", "dangerouslyDisableSandbox": True}, "published", False),
    ),
    (("jq .a[0] x.json", EXIT + "zsh: no matches found: .a[0]", True), ("jq '.a[0]' x.json", "1")),
    (
        ("git checkout origin/feat", EXIT + "error: pathspec 'origin/feat' did not match any file(s) known to git", True),
        ("git checkout feat", "Switched"),
    ),
    (("gradle build", EXIT + "gradle: command not found", True), ("./gradlew build", "BUILD SUCCESSFUL")),
]
OTHER: list[Steps] = [
    (("ls src/a", EXIT + "ls: src/a: No such file or directory", True), ("ls src/b", "x")),
    (("cat a.txt", EXIT + "cat: a.txt: No such file or directory", True), ("cat b.txt", "x")),
    (("go test ./a", EXIT + "--- FAIL: TestA (0.0s)\n    a_test.go:9: got 1", True), ("go test ./b", "ok")),
    (("pytest tests/a.py", EXIT + "FAILED tests/a.py::t - AssertionError", True), ("pytest tests/b.py", "3 passed")),
    (("pytest", EXIT + "FAILED tests/a.py::t - AssertionError", True), ("pytest -x | tail -3", "1 failed")),
    (("git fetch", "fatal: unable to access: Could not resolve host: git.example.com", True), ("git fetch --all", "ok")),
    (("npm ci", EXIT + "npm error network read ECONNRESET", True), ("npm ci --verbose", "added 12")),
    (("make build", EXIT + "error: timed out", True), ("make build", "ok")),
    (
        ("Bash", {"command": "make all", "timeout": 1000}, "Command timed out after 1s", True),
        ("Bash", {"command": "make all", "timeout": 100000}, "ok", False),
    ),
    (("mypy a.py", EXIT + "a.py:1:1: error: Incompatible types [assignment]\nFound 1 error", True), ("mypy b.py", "Success")),
    (("tsc", EXIT + "src/a.ts(1,2): error TS2304: Cannot find name 'x'.", True), ("tsc --noEmit", "")),
    (
        ("Read", {"file_path": "/a/x.md"}, "<tool_use_error>File does not exist.</tool_use_error>", True),
        ("Read", {"file_path": "/a/y.md"}, "1", False),
    ),
    (("git status", EXIT + "fatal: index.lock exists", True), ("rm .git/index.lock", ""), ("git status -s", "")),
    (("node a.js", EXIT + "Error: Cannot find module 'x'", True), ("npm install x", "ok"), ("node ./a.js", "ok")),
    (("which foo", EXIT, True), ("which bar", "/bin/bar")),
    (("diff a b", EXIT + "1c1\n< x\n---\n> y", True), ("diff a c", "")),
    (
        ("psql -c 'select 1'", EXIT + "psql: error: connection to server failed: Connection refused", True),
        ("docker compose up -d db", "ok"),
        ("psql -h localhost -c 'select 1'", "1"),
    ),
    (("cargo build", EXIT + "error[E0425]: cannot find value `x` in this scope", True), ("cargo build --release", "ok")),
    (
        ("npm run lint", EXIT + "/a.js\n  1:1  error  x is not defined  no-undef\n1 problem (1 error)", True),
        ("npm run lint -- src/b.js", ""),
    ),
    (("python fit.py", EXIT + "KeyError: 'price'", True), ("python fit.py --fast", "done")),
]


def talk_of(steps: Steps) -> Talk:
    """A session of commands (``command, output`` and whether it failed) and of other calls."""
    talk = Talk().user("Do it.")
    for step in steps:
        if isinstance(step[1], dict):
            talk.uses(step[0], step[1], step[2], failed=step[3])
        else:
            talk.runs(step[0], step[1], failed=len(step) > 2)
    return talk


@pytest.mark.parametrize("steps", EXPLAINED)
def test_the_input_was_what_helped(steps: Steps) -> None:
    (finding,) = talk_of(steps).found()
    assert finding.kind == "changed_input" and [quote.part for quote in finding.evidence] == ["failure", "remedy"]


@pytest.mark.parametrize("steps", OTHER)
def test_the_input_was_not_what_helped(steps: Steps) -> None:
    assert talk_of(steps).found() == []


def _key_of_search(missed: str, found: str) -> str:
    talk = Talk().user("Find it.").uses("Grep", {"pattern": missed}, "No matches found")
    (finding,) = talk.uses("Grep", {"pattern": found}, "a.py:1: x").found()
    return finding.key


def test_searches_for_something_else_are_other_lessons() -> None:
    assert _key_of_search("load(", "load") != _key_of_search("save(", "save")
    assert _key_of_search("load(", "load") == _key_of_search("load(", "load")
    assert _key_of_search("Load", "load") != _key_of_search("load(", "load")


def test_an_edit_is_told_by_the_line_that_differs() -> None:
    old, new = "a = 1\nretries = opts.retries || 3\nb = 2", "a = 1\nretries = opts.retries ?? 3\nb = 2"
    given = {"file_path": "/home/dev/src/client.ts", "new_string": "a = 2"}
    talk = Talk().uses("Edit", {**given, "old_string": old}, "String to replace not found in file.", failed=True)
    (finding,) = talk.uses("Edit", {**given, "old_string": new}, "The file has been updated.").found("changed_input")
    assert "`Edit client.ts: retries = opts.retries || 3`" in finding.rule
    assert "`Edit client.ts: retries = opts.retries ?? 3`" in finding.rule
