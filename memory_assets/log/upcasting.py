"""Old payloads are read as new ones: the log is never rewritten.

An upcaster takes the JSON object of one payload version to the next. A payload model states its current version; what the
log holds is brought up step by step before it is validated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from memory_assets.log.errors import UnknownEventTypeError
from memory_assets.log.events import StoredEvent
from memory_assets.log.payloads.base import Payload
from memory_assets.log.payloads.catalogue import PAYLOADS

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
PayloadModel = TypeVar("PayloadModel", bound=Payload)

# (event type, version it reads) -> the function that makes the next version of it. No payload has changed yet.
UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}


def read_payload(event: StoredEvent, upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS) -> Payload:
    """The validated payload of a stored event.

    Raises:
        UnknownEventTypeError: when the type or its version is newer than this program, or the payload does not fit.
    """
    model = PAYLOADS.get(event.event_type)
    if model is None or event.payload_version > model.payload_version:
        raise UnknownEventTypeError(
            f"event {event.event_id} is a {event.event_type} of version {event.payload_version}, which is unknown here",
            hint="install the newer version of memory_assets that wrote it",
        )
    try:
        if event.payload_version == model.payload_version:
            return model.model_validate_json(event.payload_json)
        data = json.loads(event.payload_json)
        for version in range(event.payload_version, model.payload_version):
            data = upcasters[event.event_type, version](data)
        return model.model_validate(data)
    except (ValidationError, KeyError) as error:
        raise UnknownEventTypeError(
            f"the payload of event {event.event_id} ({event.event_type}) does not fit its model",
            hint="run `memory doctor`",
        ) from error


def payload_as(event: StoredEvent, model: type[PayloadModel]) -> PayloadModel:
    """The payload of an event whose type the caller knows."""
    payload = read_payload(event)
    assert isinstance(payload, model), f"{event.event_id} is a {event.event_type}, not a {model.event_type}"
    return payload
