"""Old payloads are read as new ones; what is newer than this program or does not fit is named."""

from typing import Any, ClassVar

import pytest

from memory_assets.log import upcasting
from memory_assets.log.errors import UnknownEventTypeError
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.catalogue import PAYLOADS
from memory_assets.log.payloads.forgetting import SessionForgotten
from memory_assets.log.payloads.sessions import SourceTakenFor
from memory_assets.log.upcasting import payload_as, read_payload
from memory_assets_tests.log.test_payloads import stored


class Moved(Payload):
    """A payload that has been changed twice."""

    event_type: ClassVar[str] = "moved"
    payload_version: ClassVar[int] = 3
    place: str
    floor: int


def _second(data: dict[str, Any]) -> dict[str, Any]:
    return {"place": data["room"]}


def _third(data: dict[str, Any]) -> dict[str, Any]:
    return data | {"floor": int(data["place"][0])}


UPCASTERS = {("moved", 1): _second, ("moved", 2): _third}


@pytest.fixture(autouse=True)
def made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PAYLOADS, "moved", Moved)


def test_every_older_version_is_brought_up_step_by_step() -> None:
    now = Moved(place="305", floor=3)
    assert read_payload(stored(now, '{"room":"305"}', version=1), UPCASTERS) == now
    assert read_payload(stored(now, '{"place":"305"}', version=2), UPCASTERS) == now
    assert read_payload(stored(now), UPCASTERS) == now


def test_a_missing_step_is_named() -> None:
    now = Moved(place="305", floor=3)
    with pytest.raises(UnknownEventTypeError, match=r"ev_1 \(moved\) does not fit"):
        read_payload(stored(now, '{"room":"305"}', version=1), {("moved", 2): _third})


def test_a_newer_version_is_named_with_what_to_do() -> None:
    with pytest.raises(UnknownEventTypeError, match="ev_1 is a moved of version 4") as raised:
        read_payload(stored(Moved(place="305", floor=3), version=4))
    assert "install the newer version" in raised.value.hint


def test_an_unknown_type_is_named() -> None:
    event = stored(SessionForgotten(reason="x"))._replace(event_type="session_praised")
    with pytest.raises(UnknownEventTypeError, match="is a session_praised"):
        read_payload(event)


@pytest.mark.parametrize("text", ["{}", '{"reason":7}', '{"reason":"x","more":1}', "[]", "no json"])
def test_a_payload_that_does_not_fit_is_named_and_not_quoted(text: str) -> None:
    with pytest.raises(UnknownEventTypeError, match="does not fit its model") as raised:
        read_payload(stored(SessionForgotten(reason="x"), text))
    assert text not in str(raised.value)


def test_a_payload_of_another_type_than_expected_is_a_bug() -> None:
    with pytest.raises(AssertionError, match="ev_1 is a session_forgotten, not a source_taken"):
        payload_as(stored(SessionForgotten(reason="x")), SourceTakenFor)


def test_every_version_behind_the_current_one_has_its_step() -> None:
    for event_type, model in PAYLOADS.items():
        if event_type != "moved":
            for version in range(1, model.payload_version):
                assert (event_type, version) in upcasting.UPCASTERS
