"""The policy file: what it may say, and what is said of a bad one."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from memory_assets.errors import ConfigInvalidError
from memory_assets.sessions.masking.bounded_patterns import why_unbounded
from memory_assets.sessions.masking.redaction import redact_text
from memory_assets.sessions.masking.redaction_policy import default_policy, default_policy_json, load_policy


def _policy(**changes: Any) -> str:
    return json.dumps({"policy_id": "mine", "version": 3, **changes})


def _pattern(**changes: Any) -> str:
    rule = {"name": "badge", "kind": "PII:badge", "literals": ["EMP-"], "pattern": "EMP-[0-9]{6}"}
    return _policy(patterns=[{**rule, **changes}])


def test_default_policy_is_loaded_once_and_has_a_stable_hash() -> None:
    assert default_policy() is default_policy()
    assert default_policy().policy_hash == load_policy(default_policy_json()).policy_hash
    assert len(default_policy().policy_hash) == 64
    assert (default_policy().policy_id, default_policy().version) == ("default", 3)


def test_a_rule_of_ones_own_is_applied() -> None:
    policy = load_policy(_pattern())
    assert redact_text("badge EMP-123456, EMP-12", policy).text == "badge [PII:badge], EMP-12"
    assert redact_text("[PII:badge]", policy).counts == {}


def test_only_the_named_group_is_masked() -> None:
    policy = load_policy(_pattern(pattern="EMP-(?P<secret>[0-9]{6})"))
    assert redact_text("EMP-123456", policy).text == "EMP-[PII:badge]"


def test_a_rule_can_be_turned_off_and_one_that_is_off_be_turned_on() -> None:
    document = json.loads(default_policy_json())
    document["emails"] = False
    document["personal_numbers"] = False
    for rule in document["patterns"]:
        rule["enabled"] = rule["name"] == "npm_token"
    document["detectors"] = []
    policy = load_policy(json.dumps(document))
    text = "a@b.io 4111 1111 1111 1111, npm_" + "a1B2c3" * 6
    assert redact_text(text, policy).text == "a@b.io 4111 1111 1111 1111, [SECRET:npm]"
    document["personal_numbers"] = True
    assert redact_text(text, load_policy(json.dumps(document))).text == "a@b.io [PII:card], [SECRET:npm]"
    assert policy.policy_hash != default_policy().policy_hash


def test_the_hash_is_of_the_content_not_of_its_spelling() -> None:
    respelled = json.dumps(json.loads(default_policy_json()), indent=7, sort_keys=True)
    assert load_policy(respelled).policy_hash == default_policy().policy_hash
    assert load_policy(_policy()).policy_hash != load_policy(_policy(version=4)).policy_hash


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        ("{", "the file"),
        ("[]", "the file"),
        ("{}", "version"),
        (_policy(colour="red"), "colour"),
        (_policy(private_blocks=False), "private_blocks"),
        (_pattern(kind="secret"), "'badge': patterns.0.kind"),
        (_pattern(literals=[]), "'badge': patterns.0.literals"),
        (_pattern(pattern="EMP-("), "'badge'"),
        (_pattern(pattern="EMP-.*"), "'badge': its pattern has an unbounded repeat"),
        (_pattern(pattern="(?:[0-9]{1,9}-?){1,9}EMP"), "'badge': its pattern has a repeat inside a repeat"),
        (_pattern(pattern="[0-9]{0,9}"), "'badge': its pattern matches the empty text"),
        (_pattern(name="Badge Rule"), "patterns.0.name"),
        (_policy(patterns=[json.loads(_pattern())["patterns"][0]] * 2), "'badge': two rules"),
        (_policy(assigned=[{"name": "n", "kind": "X", "strength": "token", "names": [" "]}]), "'n'"),
    ],
)
def test_a_bad_policy_names_its_rule(policy: str, named: str) -> None:
    with pytest.raises(ConfigInvalidError) as raised:
        load_policy(policy)
    assert named in str(raised.value)
    assert raised.value.hint


@pytest.mark.parametrize(
    "detector", ["stripe.NoSuchDetector", "nothing.StripeDetector", "keyword.KeywordDetector", "os.path", "base.re"]
)
def test_only_pattern_detectors_of_detect_secrets_are_loaded(detector: str) -> None:
    rule = {"name": "d", "kind": "SECRET:d", "detector": detector, "literals": ["x"]}
    with pytest.raises(ConfigInvalidError, match="rule 'd'"):
        load_policy(_policy(detectors=[rule]))


@pytest.mark.parametrize(
    ("pattern", "bounded"),
    [
        (r"ab{2,9}c?", True),
        (r"[+*]{3}\+\*", True),
        (r"[]+*]a", True),
        (r"a++b*+c{4,}+", True),
        (r"(?:a{1,3}-)?b", True),
        (r"(?P<secret>a{3}){2,4}", True),
        (r"(?:a{1,3}){2,4}+", True),
        (r"a{,}b{}", True),
        (r"a+", False),
        (r"a*?", False),
        (r"a{3,}", False),
        (r"a{0,9999}", False),
        (r"(?:a{1,3}){2,4}", False),
        (r"(?:x(?:a|b?)y){2}", False),
    ],
)
def test_what_a_pattern_may_be_made_of(pattern: str, bounded: bool) -> None:
    assert (why_unbounded(pattern) is None) is bounded


def test_detect_secrets_is_imported_only_when_a_policy_is_loaded() -> None:
    program = (
        "import sys; import memory_assets.sessions.masking.redaction; assert 'detect_secrets' not in sys.modules;"
        "from memory_assets.sessions.masking.redaction_policy import default_policy; default_policy();"
        "assert 'detect_secrets' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
