"""What breaks a reader between two versions of a JSON Schema: inside v1 only additions are allowed.

An object may gain fields that are not required, an enum may gain words, a union of objects that are told apart by a word may
gain an object. Everything else is a break: a field that is gone, a type that is another one, null where there was none, a
bound that is narrower, a field that becomes required or stops being it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Schema = dict[str, Any]
Pair = tuple[Schema, Schema]
_SAID = {"title", "description", "default", "examples", "$schema", "$id", "$defs", "discriminator"}
_LEAST = {"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"}
_MOST = {"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"}


def breaking_changes(before: Schema, after: Schema) -> list[str]:
    """Each break, with where it is; none for a change that only adds."""
    return list(_Comparison(before.get("$defs", {}), after.get("$defs", {})).compare(before, after, "$", ()))


class _Comparison:
    def __init__(self, before: dict[str, Schema], after: dict[str, Schema]) -> None:
        self.before, self.after = before, after

    def compare(self, before: Schema, after: Schema, at: str, behind: tuple[Pair, ...]) -> Iterator[str]:
        if (before, after) in behind:  # types that hold themselves: what they are compared to is being compared
            return
        behind = (*behind, (before, after))
        old, new = _alternatives(before, self.before), _alternatives(after, self.after)
        if len(old) == len(new) == 1:
            yield from self._one(old[0], new[0], at, behind)
            return
        unmatched = list(new)
        for one in old:
            match = next((other for other in unmatched if _kind(other) == _kind(one)), None)
            if match is None:
                yield f"{at}: {_kind(one)} is gone"
                continue
            unmatched.remove(match)
            yield from self._one(one, match, f"{at}({_kind(one)})", behind)
        for other in unmatched:
            if not _kind(other).startswith("object:") or not all(_kind(one).startswith(("object:", "null")) for one in old):
                yield f"{at}: may now be {_kind(other)}"

    def _one(self, before: Schema, after: Schema, at: str, behind: tuple[Pair, ...]) -> Iterator[str]:
        words, new_words = _words(before), _words(after)
        if words is not None or new_words is not None:
            if words is None or new_words is None:
                yield f"{at}: {'no longer' if new_words is None else 'now'} only some words"
            else:
                yield from (f"{at}: the word {word!r} is gone" for word in words if word not in new_words)
        for key in sorted((before.keys() | after.keys()) - _SAID - {"const", "enum"}):
            yield from self._part(key, before, after, at, behind)

    def _part(self, key: str, before: Schema, after: Schema, at: str, behind: tuple[Pair, ...]) -> Iterator[str]:
        old, new = before.get(key), after.get(key)
        match key:
            case "properties":
                for name in old or {}:
                    if name not in (new or {}):
                        yield f"{at}.{name}: the field is gone"
                    else:
                        yield from self.compare(old[name], new[name], f"{at}.{name}", behind)
            case "required":
                yield from (f"{at}.{name}: is now required" for name in sorted(set(new or ()) - set(old or ())))
                yield from (f"{at}.{name}: is no longer required" for name in sorted(set(old or ()) - set(new or ())))
            case "items" | "additionalProperties" if isinstance(old, dict) and isinstance(new, dict):
                yield from self.compare(old, new, f"{at}[]", behind)
            case "prefixItems" if len(old or ()) == len(new or ()):
                for place, (one, other) in enumerate(zip(old or (), new or (), strict=True)):
                    yield from self.compare(one, other, f"{at}[{place}]", behind)
            case _ if key in _LEAST and (new is None or (old is not None and new <= old)):
                pass
            case _ if key in _MOST and (new is None or (old is not None and new >= old)):
                pass
            case _ if old != new:
                yield f"{at}: {key} was {old!r} and is {new!r}"


def _alternatives(schema: Schema, definitions: dict[str, Schema]) -> list[Schema]:
    """The types that a value may have, references followed."""
    found = schema
    while "$ref" in found:
        found = {**definitions[found["$ref"].rpartition("/")[2]], **{k: v for k, v in found.items() if k != "$ref"}}
    union = found.get("anyOf") or found.get("oneOf")
    return [found] if union is None else [one for part in union for one in _alternatives(part, definitions)]


def _words(schema: Schema) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _kind(schema: Schema) -> str:
    """What tells one alternative from the others: its type, and of an object the word that names it."""
    if schema.get("type") == "object":
        properties = schema.get("properties", {})
        named = [properties[name]["const"] for name in ("kind", "schema_version") if "const" in properties.get(name, {})]
        return f"object:{named[0]}" if named else "object"
    return str(schema.get("type", "anything"))
