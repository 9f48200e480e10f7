"""What a template prints is escaped and masked, whatever it forgets."""

from __future__ import annotations

import re
from pathlib import Path

from memory_assets.memory import Memory
from memory_assets.viewer.environment import environment
from memory_assets.viewer.masking import mask_by

VIEWER = Path(__file__).resolve().parents[2] / "memory_assets" / "viewer"
TEMPLATES = sorted(VIEWER.glob("templates/**/*.html"))
SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def test_nothing_turns_escaping_off() -> None:
    assert len(TEMPLATES) > 3
    forbidden = re.compile(r"\|\s*safe\b|autoescape\s+false|Markup\(|autoescape=False|\|\s*tojson|\bmark_safe\b")
    sources = [*TEMPLATES, *VIEWER.rglob("*.py")]
    assert [source.name for source in sources if forbidden.search(source.read_text(encoding="utf-8"))] == []
    assert environment().autoescape is True


def test_no_page_has_a_script_a_style_or_a_handler_within_it() -> None:
    inline = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|hx-on", re.IGNORECASE)
    assert [template.name for template in TEMPLATES if inline.search(template.read_text(encoding="utf-8"))] == []


def test_nothing_of_a_page_comes_from_elsewhere() -> None:
    away = re.compile(r"""(?:src|href|action)\s*=\s*["'](?:https?:)?//""", re.IGNORECASE)
    assert [template.name for template in TEMPLATES if away.search(template.read_text(encoding="utf-8"))] == []
    css = (VIEWER / "static" / "viewer.css").read_text(encoding="utf-8")
    assert "url(" not in css and "@import" not in css


def test_only_our_own_values_go_out_unmasked() -> None:
    """``|own`` is for paths, closed words and tokens of ours: each use of it is known."""
    known = re.compile(r"\{\{ \(?(?:[a-z_.]*(?:status|assurance|path|csrf|role|origin)|word or \"unproved\")\)?\|own \}\}")
    for template in TEMPLATES:
        text = template.read_text(encoding="utf-8")
        assert len(re.findall(r"\|\s*own\b", text)) == len(known.findall(text)), template.name


def test_what_is_printed_is_masked_and_escaped(memory: Memory) -> None:
    mask = mask_by(memory.resources.redaction_policy)
    made = environment().from_string("{{ text }}|{{ text|cut(60) }}").render(text=f"<b>{SECRET}</b>", mask=mask)
    assert SECRET not in made and "<b>" not in made and made.count("&lt;b&gt;[SECRET") == 2


def test_a_secret_is_masked_before_a_text_is_cut(memory: Memory) -> None:
    mask = mask_by(memory.resources.redaction_policy)
    made = environment().from_string("{{ text|cut(20) }}").render(text=f"key {SECRET}", mask=mask)
    assert SECRET[:12] not in made
