from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from memory_assets.configuration import Resources
from memory_assets.errors import ConfigInvalidError
from memory_assets.maintenance.init import settings_template
from memory_assets.settings import Settings, load_settings

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith("MEMORY_") or name == "DAGSTER_HOME":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MEMORY_HOME", str(tmp_path))


def keys() -> list[tuple[str, str, object]]:
    return [
        (section, key, inner.default)
        for section, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
        for key, inner in field.annotation.model_fields.items()
    ]


def test_folders_follow_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings()
    assert settings.home == settings.store_folder == tmp_path
    assert settings.vectors_folder == tmp_path / "vectors"
    assert settings.sessions_folder == tmp_path / "sessions"
    assert settings.dagster_home == tmp_path / "dagster"
    monkeypatch.setenv("DAGSTER_HOME", "/elsewhere")
    assert settings.dagster_home == Path("/elsewhere")


def test_without_a_home_the_platform_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORY_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    if sys.platform == "linux":
        assert load_settings().home == Path("/data/memory_assets")


def test_file_then_environment_then_flags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings().extraction.timeout_seconds == 60
    (tmp_path / "memory.toml").write_text('[extraction]\ntimeout_seconds = 1\nmodel = "file"\napi_base = "http://f"\n')
    assert load_settings().extraction.timeout_seconds == 1
    monkeypatch.setenv("MEMORY_EXTRACTION_TIMEOUT_SECONDS", "2")
    monkeypatch.setenv("MEMORY_EXTRACTION_MODEL", "environment")
    settings = load_settings({"extraction": {"model": "flag"}})
    assert settings.extraction.timeout_seconds == 2
    assert settings.extraction.model == "flag"
    assert settings.extraction.api_base == "http://f"


def _other_than(key: str, default: object) -> str:
    match default:
        case bool():
            return "false" if default else "true"
        case float() if default < 1:
            return "0.9"
        case int() | float():
            return "7"
    if key.startswith("usd_"):  # nothing limits them by default
        return "7"
    return {
        "viewer_url": "https://viewer.example/{address}",
        "ui_url": "http://127.0.0.1:3000",
        "record": "always",
        "keep_days_by_project": "shop=9",
        "keep_days_by_type": "fact=9",
        "backend": "postgres",
        "postgres_url": "postgresql://me@host/court",
        "url": "postgresql://me@host/log",
    }.get(key, "/some/thing")


def test_every_key_is_reached_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for section, key, default in keys():
        value = _other_than(key, default)
        monkeypatch.setenv(f"MEMORY_{section}_{key}".upper(), value)
        changed = getattr(getattr(load_settings(), section), key)
        told = ", ".join(changed) if isinstance(changed, tuple) else str(changed)
        assert changed != default and told.removesuffix(".0").casefold() == value, (section, key)
        monkeypatch.delenv(f"MEMORY_{section}_{key}".upper())


def test_idris2_has_a_name_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.toml").write_text('[idris]\npath = "/file/idris2"\n')
    monkeypatch.setenv("MEMORY_IDRIS2", "/own/idris2")
    assert load_settings().idris.path == "/own/idris2"
    monkeypatch.setenv("MEMORY_IDRIS_PATH", "/section/idris2")
    assert load_settings().idris.path == "/section/idris2"


def test_a_named_file_must_exist_and_may_move_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMORY_HOME")
    file = tmp_path / "other.toml"
    with pytest.raises(ConfigInvalidError, match=r"other\.toml cannot be read"):
        load_settings(config_file=file)
    file.write_text(f'home = "{tmp_path / "moved"}"\n')
    assert load_settings(config_file=file).home == tmp_path / "moved"
    monkeypatch.setenv("MEMORY_CONFIG", str(file))
    assert load_settings().home == tmp_path / "moved"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[extraction\n", "no TOML"),
        ("[extraction]\nmodle = 1\n", r"memory\.toml sets extraction\.modle: there is no such setting"),
        ("[embedding]\nbatch_size = 0\n", r"memory\.toml sets embedding\.batch_size: .*greater than 0"),
        ("[store]\nlock_timeout_seconds = 'soon'\n", r"memory\.toml sets store\.lock_timeout_seconds"),
        ("extraction = 3\n", r"memory\.toml sets extraction: "),
        ("home = '/x'\n", "sets home"),
    ],
)
def test_a_bad_file_names_the_key(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "memory.toml").write_text(text)
    with pytest.raises(ConfigInvalidError, match=told) as caught:
        load_settings()
    assert caught.value.hint


def test_a_file_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "memory.toml").write_bytes(b"[extraction]\nmodel = '\xff'\n")
    with pytest.raises(ConfigInvalidError, match="is not UTF-8"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("MEMORY_EXTRACTION_TIMEOUT_SECONDS", "-1", "MEMORY_EXTRACTION_TIMEOUT_SECONDS sets extraction.timeout_seconds"),
        ("MEMORY_EXTRACTION_MODLE", "x", "MEMORY_EXTRACTION_MODLE sets extraction.modle: there is no such setting"),
        ("MEMORY_EXTRACTION", "{", "extraction"),
        ("MEMORY_DAGSTER_VIEWER_URL", "javascript:alert({address})", "an http or https URL with {address}"),
        ("MEMORY_DAGSTER_VIEWER_URL", "https://viewer.example/", "an http or https URL with {address}"),
        ("MEMORY_DAGSTER_VIEWER_URL", "https://viewer.example/) [x]({address}", "an http or https URL with {address}"),
        ("MEMORY_DAGSTER_SHOW_QUOTES", "perhaps", "MEMORY_DAGSTER_SHOW_QUOTES sets dagster.show_quotes"),
    ],
)
def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ConfigInvalidError, match=re.escape(told)):
        load_settings()


def test_values_are_not_repeated_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_EMBEDDING_BATCH_SIZE", "sk-private")
    with pytest.raises(ConfigInvalidError) as caught:
        load_settings()
    assert "sk-private" not in f"{caught.value} {caught.value.hint}"


def test_a_bad_flag_is_named() -> None:
    with pytest.raises(ConfigInvalidError, match=r"a flag sets dagster\.batch_size"):
        load_settings({"dagster": {"batch_size": "many"}})


def test_settings_do_not_change(tmp_path: Path) -> None:
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.home = tmp_path  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        settings.extraction.model = "x"  # type: ignore[misc]


def test_relative_paths_are_fixed_when_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_settings({"home": "here"}).home == tmp_path / "here"


def test_the_template_names_everything_and_sets_nothing(tmp_path: Path) -> None:
    template = settings_template()
    assert tomllib.loads(template) == {section: {} for section in dict.fromkeys(section for section, _, _ in keys())}
    (tmp_path / "memory.toml").write_text(template)
    assert load_settings() == load_settings({"home": tmp_path})
    with_defaults = re.sub(r"(?m)^# (\w+ = .+)$", r"\1", template)
    for section, key, default in keys():
        assert tomllib.loads(with_defaults)[section].get(key) == default


def test_the_page_of_settings_lists_every_one() -> None:
    page = (REPOSITORY / "docs" / "settings.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(\w+\.\w+)` \|", page, re.MULTILINE))
    assert documented == {f"{section}.{key}" for section, key, _ in keys()}


def test_importing_settings_is_cheap() -> None:
    code = "import sys, memory_assets.settings; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"duckdb", "pyarrow", "lancedb", "torch", "litellm", "dagster", "rich"} & set(loaded)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://me:hunter2@host/court", "no password here"),
        ("postgresql://me@host/court?password=hunter2", "no password here"),
        ("postgresql://me@host/court?p%61ssword=hunter2", "no password here"),
        ("host=here password=hunter2", "an address as in postgresql://"),
    ],
)
def test_an_address_of_postgresql_holds_no_password(url: str, said: str) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load_settings({"court": {"backend": "postgres", "postgres_url": url}})
    assert said in str(caught.value) and "hunter2" not in f"{caught.value} {caught.value.hint}"


def test_the_backend_postgres_needs_an_address() -> None:
    chosen = load_settings({"court": {"backend": "postgres"}})
    with pytest.raises(ConfigInvalidError, match="nothing says where that is"):
        _ = Resources(chosen).court_in_postgres
    assert load_settings({"court": {"postgres_url": "postgresql://me@host/court"}}).court.backend == "embedded"


@pytest.mark.parametrize("section", ["extraction", "ask", "court"])
@pytest.mark.parametrize(
    "address", ["https://kim:sk-000@proxy/v1", "https://sk-000@proxy/v1", "https://proxy/v1?api-key=sk-000"]
)
def test_the_address_of_a_model_holds_no_key(tmp_path: Path, section: str, address: str) -> None:
    """Settings are shown as they are."""
    with pytest.raises(ConfigInvalidError) as refused:
        load_settings({"home": tmp_path, section: {"api_base": address}})
    assert "api_base" in str(refused.value) and "sk-000" not in str(refused.value) + str(refused.value.hint)
    load_settings({"home": tmp_path, section: {"api_base": "https://proxy:8080/v1?version=2"}})


def test_projects_that_are_shared_are_a_list_or_a_text_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_STORE_URL", "postgresql://me@db.example/memory")
    assert load_settings().takes_in("diary") and load_settings().takes_in(None)
    for given in ("shop, 가게 도구", '["shop", "가게 도구"]'):
        monkeypatch.setenv("MEMORY_SHARING_PROJECTS", given)
        settings = load_settings()
        assert settings.sharing.projects == ("shop", "가게 도구"), given
        assert settings.takes_in("가게 도구") and not settings.takes_in("diary") and not settings.takes_in(None)
    monkeypatch.setenv("MEMORY_SHARING_PROJECTS", "[]")
    assert not load_settings().takes_in("shop")
    monkeypatch.delenv("MEMORY_STORE_URL")
    assert load_settings().takes_in("diary"), "a store alone is shared with nobody"
