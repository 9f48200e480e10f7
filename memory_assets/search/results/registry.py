"""Every model that surfaces print, by its schema id.

To print a new object: write its model as a module of this package, a `WireModel` whose first field is
``schema_version: Literal["thing.v1"] = "thing.v1"``, add a line to :data:`WIRE`, and run ``make schemas``. Inside v1 a model
only grows: new fields have a default, words are added to enums, nothing else changes; a test holds that.

Records of queries that are printed as they are join these in ``schemas/output_models.py``.
"""

from __future__ import annotations

from typing import Any

from memory_assets.search.results.certificate import CertificateV1
from memory_assets.search.results.citation import AnyCitationV1
from memory_assets.search.results.context import ContextBundleV1
from memory_assets.search.results.details import DetailsV1
from memory_assets.search.results.disclosure import DisclosureV1
from memory_assets.search.results.doctor import DoctorV1
from memory_assets.search.results.error import ErrorV1
from memory_assets.search.results.evaluation import EvalComparisonV1, EvalInitV1, EvalRunV1
from memory_assets.search.results.feedback import AckV1, UnitStandingV1
from memory_assets.search.results.gotchas import GotchaListV1
from memory_assets.search.results.schema import SchemaDefinitionV1, SchemaV1
from memory_assets.search.results.search import BulkSearchItemV1, SearchHitV1, SearchResponseV1
from memory_assets.search.results.timeline import TimelineV1
from memory_assets.search.results.unanswered import UnansweredV1

WIRE: dict[str, Any] = {
    "ack.v1": AckV1,
    "bulk_search_item.v1": BulkSearchItemV1,
    "certificate.v1": CertificateV1,
    "citation.v1": AnyCitationV1,
    "context_bundle.v1": ContextBundleV1,
    "details.v1": DetailsV1,
    "disclosure.v1": DisclosureV1,
    "doctor.v1": DoctorV1,
    "error.v1": ErrorV1,
    "eval_comparison.v1": EvalComparisonV1,
    "eval_init.v1": EvalInitV1,
    "eval_run.v1": EvalRunV1,
    "gotcha_list.v1": GotchaListV1,
    "schema.v1": SchemaV1,
    "schema_definition.v1": SchemaDefinitionV1,
    "search_hit.v1": SearchHitV1,
    "search_response.v1": SearchResponseV1,
    "timeline.v1": TimelineV1,
    "unanswered.v1": UnansweredV1,
    "unit_standing.v1": UnitStandingV1,
}
