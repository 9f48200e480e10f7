"""What a call of a tool runs and changes, read from its text."""

import pytest

from memory_assets.sessions.tool_calls import command_of, files_changed, programs_of


@pytest.mark.parametrize(
    ("tool", "call", "command"),
    [
        ("Bash", '{"command":"go test ./...","timeout":5000}', "go test ./..."),
        ("shell", '{"command":["bash","-lc","cd x && npm test"]}', "cd x && npm test"),
        ("exec_command", '{"cmd":"echo \\"a\\"\\nls"}', 'echo "a"\nls'),
        ("Bash", "Find it\n\n`grep -rl x .`", "grep -rl x ."),
        ("Read", '{"file_path":"a.py"}', None),
        ("Read", "`a.py`", None),
        (None, "", None),
    ],
)
def test_the_command_of_a_call(tool: str | None, call: str, command: str | None) -> None:
    assert command_of(tool, call) == command


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("cd /x && CI=1 go test ./... 2>&1 | tail -5", {"go test"}),
        ("git -C /x mv a b && git status", {"git mv"}),
        ("npm run build:web -- --fast", {"npm run build:web"}),
        ("sudo apt-get install -y x; ls", {"apt-get install"}),
        ("uv run pytest tests/test_a.py -q", {"uv run pytest"}),
        ("python3 scripts/load.py --all", {"python3 load.py"}),
        ("./gradlew :app:build", {"gradlew"}),
        ("ls -la; cat a.txt | grep b\necho done", set()),
        ("", set()),
    ],
)
def test_the_programs_of_a_command(command: str, programs: set[str]) -> None:
    assert programs_of(command) == programs


@pytest.mark.parametrize(
    ("tool", "call", "files"),
    [
        ("Edit", '{"replace_all":false,"file_path":"/a/b.py","old_string":"\\"file_path\\""}', ("/a/b.py",)),
        ("apply_patch", "*** Begin Patch\n*** Update File: a/b.yml\n@@\n*** Delete File: c.yml\n", ("a/b.yml", "c.yml")),
        ("mcp__acp__Write", '{"file_path":"문서/가이드.md"}', ("문서/가이드.md",)),
        ("Edit", "`/src/a.py`\n\n```diff\n-a\n```", ("/src/a.py",)),
        (
            "Edit",
            "```text\nThe file /srv/a b/c.go has been updated successfully. (file state is current)\n```",
            ("/srv/a b/c.go",),
        ),
        ("Edit", "The file /srv/c.go has been updated. All occurrences of 'a' were successfully replaced.", ("/srv/c.go",)),
        ("Write", "```go\npackage a\n```File created successfully at: /srv/a.go\n", ("/srv/a.go",)),
        ("Edit", "The user doesn't want to proceed with this tool use. The tool use was rejected", ()),
        ("Edit", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", ()),
        ("Read", "The file /srv/c.go has been updated since", ()),
        ("Read", '{"file_path":"/a/b.py"}', ()),
        ("TodoWrite", '{"path":"x"}', ()),
        ("write_stdin", '{"path":"x"}', ()),
        (None, '{"file_path":"/a/b.py"}', ()),
    ],
)
def test_the_files_that_a_call_changes(tool: str | None, call: str, files: tuple[str, ...]) -> None:
    assert files_changed(tool, call) == files
