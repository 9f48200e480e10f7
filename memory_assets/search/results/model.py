"""What every printed object has in common.

Each object names its schema and version. Inside v1 fields are only added: a reader takes what it knows and leaves the rest,
these models too.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class WireModel(BaseModel):
    """A printed object: immutable, and unknown fields are ignored when it is read."""

    model_config = ConfigDict(frozen=True, extra="ignore")
