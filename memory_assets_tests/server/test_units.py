"""The unit that the system starts the server by: read back by the system's own rules, written and taken away."""

from __future__ import annotations

import configparser
import plistlib
import shlex
from pathlib import Path

import pytest

from memory_assets.errors import InvalidArgumentError
from memory_assets.server.units import remove_unit, unit_of, write_unit

ODD = '/opt/a b/100% "sure" $HOME\\x/memory'


def test_systemd_starts_exactly_this_installation_and_store(tmp_path: Path) -> None:
    unit = unit_of("linux", tmp_path, [ODD, "serve", "run"], {"MEMORY_HOME": "/srv/my store/50%"}, {})
    assert unit.path == tmp_path / ".config/systemd/user/memory-assets.service"
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[method-assign, assignment]
    parser.read_string(unit.text.decode())
    words = shlex.split(parser["Service"]["ExecStart"])
    assert [word.replace("%%", "%").replace("$$", "$") for word in words] == [ODD, "serve", "run"]
    assert parser["Service"]["Environment"] == '"MEMORY_HOME=/srv/my store/50%%"'
    assert parser["Service"]["Restart"] == "on-failure" and parser["Install"]["WantedBy"] == "default.target"


def test_launchd_reads_it_back(tmp_path: Path) -> None:
    unit = unit_of("darwin", tmp_path, [ODD, "serve", "run"], {"MEMORY_HOME": "/x & <y>"}, {})
    told = plistlib.loads(unit.text)
    assert told["ProgramArguments"] == [ODD, "serve", "run"] and told["EnvironmentVariables"] == {"MEMORY_HOME": "/x & <y>"}
    assert told["KeepAlive"] == {"SuccessfulExit": False}


def test_it_is_written_once_and_taken_away(tmp_path: Path) -> None:
    unit = unit_of("linux", tmp_path, ["/bin/memory"], {}, {"XDG_CONFIG_HOME": str(tmp_path / "x")})
    assert write_unit(unit) and not write_unit(unit)
    assert unit.path.read_bytes() == unit.text and [unit.path] == list(unit.path.parent.iterdir())
    assert remove_unit(unit) and not remove_unit(unit)


@pytest.mark.parametrize(("platform", "command"), [("win32", "/bin/memory"), ("linux", "/bin/a\nExecStartPre=/bin/evil")])
def test_what_no_unit_can_hold_is_refused(tmp_path: Path, platform: str, command: str) -> None:
    with pytest.raises(InvalidArgumentError):
        unit_of(platform, tmp_path, [command], {}, {})
