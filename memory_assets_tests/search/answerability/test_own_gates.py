"""A store's own gates: read as the file is now, never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_assets.errors import ConfigInvalidError
from memory_assets.search.answerability.own_gates import FILE, calibration_of, is_out_of_date, written
from memory_assets.search.answerability.sureness import shipped


def test_without_a_file_the_shipped_ones_hold(tmp_path: Path) -> None:
    assert calibration_of(tmp_path) is shipped() and not is_out_of_date(tmp_path)


def test_a_gate_is_the_store_s_own_and_the_other_one_as_shipped(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(written("1+abc", within=0.62, over_all=None))
    known = calibration_of(tmp_path)
    assert (known.version, known.gate(within=True)) == ("1+abc", 0.62)
    assert known.gate(within=False) == shipped().gate_over_all and known.answer is shipped().answer
    assert not is_out_of_date(tmp_path)


def test_a_file_that_changes_or_goes_is_read_anew(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(written("one", within=0.62, over_all=0.5))
    assert calibration_of(tmp_path).gate(within=False) == 0.5
    (tmp_path / FILE).write_text(written("another", within=0.62, over_all=0.25))
    assert calibration_of(tmp_path).gate(within=False) == 0.25
    (tmp_path / FILE).unlink()
    assert calibration_of(tmp_path) is shipped()


def test_gates_of_other_weights_are_left_out(tmp_path: Path) -> None:
    text = written("1+abc", within=0.62, over_all=None)
    (tmp_path / FILE).write_text(text.replace(f'weights = "{shipped().version}"', 'weights = "of another release"'))
    assert calibration_of(tmp_path) is shipped() and is_out_of_date(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "no toml at all [",
        "",
        'version = "1"',
        f'version = "1"\nweights = "{shipped().version}"\ngates = 3',
        f'version = "1"\nweights = "{shipped().version}"\n[gates]\nover_all = 1.5',
        f'version = "1"\nweights = "{shipped().version}"\n[gates]\nover_all = nan',
        f'version = "1"\nweights = "{shipped().version}"\n[gates]\nover_all = true',
        f'version = "1"\nweights = "{shipped().version}"\n[gates]\nover_all = "high"',
        "\ud800",
    ],
)
def test_what_holds_no_gates_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigInvalidError, match="holds no gates") as raised:
        calibration_of(tmp_path)
    assert "--reset" in (raised.value.hint or "")
