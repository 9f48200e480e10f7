"""Numbers that name a person: telephones, residents, cards, accounts, passports.

Candidates are read by bounded patterns; whether one is what it looks like, python-stdnum and phonenumbers say, which are
loaded for the first candidate. What has no check digit is masked where the words around it name it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from memory_assets.sessions.masking.regions import Region
from memory_assets.sessions.masking.scanned_text import ScannedText

PHONE, CARD, RESIDENT = "PII:phone", "PII:card", "PII:kr_rrn"
SOCIAL, PASSPORT, ACCOUNT = "PII:ssn", "PII:passport", "PII:bank_account"
IBAN, LICENCE, OFFICIAL = "PII:iban", "PII:driver_licence", "PII:official_number"
KINDS = (PHONE, CARD, RESIDENT, SOCIAL, PASSPORT, ACCOUNT, IBAN, LICENCE, OFFICIAL)
_RANK = 500

_NO_NUMBER_BEFORE = r"(?<![0-9A-Za-z.])(?<![0-9][-_/+])"
_NO_NUMBER_BEHIND = r"(?![0-9])(?![-/][0-9])(?!\.[0-9])"
# Where the patterns look: around nine digits that no letter divides, around what may be an IBAN, and around the words that
# name fewer digits. What a day or a clock writes is passed over.
_DIGITS = re.compile(r"[0-9](?:[ .()-]{0,3}[0-9]){8,30}")
_LETTERS_AND_DIGITS = re.compile(r"[A-Z][A-Z][0-9][0-9](?: ?[A-Z0-9]{4}){3}")
_TIME = re.compile(
    r"(?:19|20)[0-9]{2}([-./]?)[01][0-9]\1[0-3][0-9](?:[ T_-]?[0-2][0-9][0-5][0-9](?:[0-5][0-9])?(?:\.[0-9]+)?| [0-2][0-9])?"
)
NAMES = ("여권", "assport", "CVC", "CVV", "cvc", "cvv", "CSC", "통관", "뒷자리")
_BEFORE, _BEHIND = 40, 40

_MOBILE = re.compile(
    rf"{_NO_NUMBER_BEFORE}(?:\+?82[ .-]?(?:\(0\))?[ ]?|0)1[016789]"
    rf"(?P<s>[ .-]?)[0-9]{{3,4}}(?P=s)[0-9]{{4}}{_NO_NUMBER_BEHIND}(?![A-Za-z])"
)
_LANDLINE = re.compile(
    rf"{_NO_NUMBER_BEFORE}\(?(?:02|0[3-6][1-5]|070|050[0-9])[)-] ?[0-9]{{3,4}}-[0-9]{{4}}{_NO_NUMBER_BEHIND}(?![A-Za-z])"
)
_INTERNATIONAL = re.compile(r"(?<![0-9A-Za-z.+=/-])\+[1-9][0-9]{0,2}(?:[ .-]?\(?[0-9]{1,5}\)?){2,6}(?![0-9A-Za-z])")
_AMERICAN = re.compile(
    rf"{_NO_NUMBER_BEFORE}(?:\([2-9][0-9]{{2}}\) ?|[2-9][0-9]{{2}}-)[2-9][0-9]{{2}}-[0-9]{{4}}{_NO_NUMBER_BEHIND}(?![A-Za-z])"
)
_CALLED_PHONE = re.compile(
    r"(?:전화|연락처|휴대폰|휴대전화|핸드폰|핸드폰번호|휴대폰번호|[Pp]hone|[Mm]obile|[Tt]el|[Cc]ell)"
    r"(?:번호| ?[Nn]umber| ?[Nn]o\.?)?"
    r"[\"'`*은는이가 ]{0,4}(?:[:=|]|is)?[\"'` ]{0,3}(?P<number>\+?[0-9(][0-9 ().-]{6,16}[0-9])(?![0-9])"
)
_RESIDENT = re.compile(r"(?<![0-9A-Za-z])(?<![0-9][.-])[0-9]{6}(?P<dash> - |[- ]?)[1-8][0-9]{6}(?![0-9A-Za-z])(?!-[0-9])")
_CALLED_RESIDENT = re.compile(
    r"(?:주민|외국인)(?:등록)?(?:번호)?[^0-9\n]{0,12}(?P<number>[0-9]{6}[ -]{0,3}[1-8][0-9]{6})(?![0-9])"
)
_SOCIAL = re.compile(rf"{_NO_NUMBER_BEFORE}[0-9]{{3}}-[0-9]{{2}}-[0-9]{{4}}{_NO_NUMBER_BEHIND}(?![A-Za-z])")
_CALLED_SOCIAL = re.compile(
    r"(?:SSN|[Ss]ocial [Ss]ecurity(?: [Nn]umber| [Nn]o\.?)?|ITIN)[^0-9\n]{0,8}"
    r"(?P<number>[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4})(?![0-9])"
)
_CARD_GROUPS = re.compile(
    r"(?<![0-9A-Za-z.])(?<![0-9][-_ ])(?:[2-9][0-9]{3}(?P<s>[ -])[0-9]{4}(?P=s)[0-9]{4}(?P=s)[0-9]{4}"
    r"|3[47][0-9]{2}(?P<t>[ -])[0-9]{6}(?P=t)[0-9]{5})(?![0-9A-Za-z])(?![- ][0-9])"
)
_CARD_PLAIN = re.compile(
    r"(?<![0-9A-Za-z.+-])(?:4[0-9]{15}|5[1-5][0-9]{14}|2[2-7][0-9]{14}|3[47][0-9]{13}|6011[0-9]{12}|65[0-9]{14}"
    r"|35[2-8][0-9]{13}|9[0-9]{15})(?![0-9A-Za-z])(?!\.[0-9])"
)
_CALLED_CARD = re.compile(
    r"(?:카드(?: ?번호)?|[Cc]ard(?: ?[Nn]umber| ?[Nn]o\.?)?|PAN)[^0-9\n]{0,10}"
    r"(?P<number>[0-9]{4}[ -]?[0-9]{4,6}[ -]?[0-9]{4,5}(?:[ -]?[0-9]{1,4})?)(?![0-9])"
)
_CALLED_CODE = re.compile(
    r"\b(?:CVC2?|CVV2?|CSC|cvc|cvv)(?: ?(?:번호|code|number))?[\"'`*은는 ]{0,3}(?:[:=|]|is)?[\"'` ]{0,3}"
    r"(?P<number>[0-9]{3,4})(?![0-9])"
)
_CALLED_PASSPORT = re.compile(
    r"(?:여권(?: ?번호)?|[Pp]assport(?: ?(?:[Nn]umber|[Nn]o\.?|#))?)[^0-9A-Za-z\n]{0,6}(?:is )?[\"'`]?"
    r"(?P<number>[A-Z]{1,2}[0-9]{3}[A-Z][0-9]{4}|[A-Z]{0,2}[0-9]{7,9})(?![0-9A-Za-z])"
)
_BANKS = (
    "국민|신한|우리|하나|농협|기업|수협|신협|산업|우체국|새마을금고|카카오|케이|토스|제일|씨티"
    "|대구|부산|광주|전북|경남|제주|KB|IBK|NH"
)
_CALLED_ACCOUNT = re.compile(
    rf"(?:계좌(?: ?번호)?|(?:{_BANKS})(?:은행|뱅크)|예금주|입금|[Aa]ccount (?:[Nn]umber|[Nn]o\.?)|[Aa]cct\.?(?: [Nn]o\.?)?)"
    r"[^0-9\n]{0,14}(?P<number>[0-9][0-9-]{8,20}[0-9])(?![0-9])"
)
_BANK_ACCOUNT = re.compile(
    rf"(?:{_BANKS})[ :]{{1,3}}(?P<number>[0-9]{{3,6}}-[0-9]{{2,6}}-[0-9]{{4,8}}(?:-[0-9]{{1,3}})?)(?![0-9-])"
)
_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?(?![0-9A-Za-z])")
_CALLED_OFFICIAL = re.compile(
    r"(?:건강 ?보험증?(?: ?번호)?|통관(?:고유)?(?: ?부호| ?번호)?|(?:주민(?:등록)?번호 ?)?뒷자리)[^0-9A-Za-z\n]{0,8}"
    r"(?P<number>P[0-9]{12}|[0-9]-?[0-9]{10}|[1-8][0-9]{6})(?![0-9A-Za-z])"
)
_REGIONS = "서울|부산|경기|강원|충북|충남|전북|전남|경북|경남|제주|대구|인천|광주|대전|울산"
_LICENCE = re.compile(rf"(?<![0-9A-Za-z.-])(?:1[1-9]|2[0-8]|{_REGIONS})-[0-9]{{2}}-[0-9]{{6}}-[0-9]{{2}}(?![0-9A-Za-z-])")


def find_personal_numbers(scan: ScannedText) -> Iterator[Region]:
    """The numbers of persons in a text."""
    text = scan.text
    for low, high in _stretches(scan):
        stretch = text[low:high]
        for region in _in_stretch(stretch):
            yield replace(region, start=region.start + low, end=region.end + low)


def _stretches(scan: ScannedText) -> Iterator[tuple[int, int]]:
    """Where numbers stand, each with what may name it; what lies close together is read together."""
    text = scan.text
    spans = [match.span() for match in _DIGITS.finditer(text) if _stands_alone(text, match)]
    spans += [match.span() for match in _LETTERS_AND_DIGITS.finditer(text)]
    for name in (name for name in NAMES if name.lower() in scan.held):
        position = text.find(name)
        while position != -1:
            spans.append((position, position + len(name)))
            position = text.find(name, position + _BEHIND)
    low = high = -1
    for start, end in sorted(spans):
        if low == -1 or start - _BEFORE > high:
            if low != -1:
                yield low, high
            low = max(0, start - _BEFORE)
        high = max(high, end + _BEHIND)
    if low != -1:
        yield low, high


def _stands_alone(text: str, digits: re.Match[str]) -> bool:
    before, behind = text[digits.start() - 1 : digits.start()], text[digits.end() : digits.end() + 1]
    if _TIME.fullmatch(digits[0]):
        return False
    return not (before.isascii() and before.isalpha()) and not (behind.isascii() and behind.isalpha() and len(digits[0]) < 20)


def _in_stretch(text: str) -> Iterator[Region]:
    yield from _phones(text)
    yield from _residents(text)
    yield from _cards(text)
    for pattern in (_SOCIAL, _CALLED_SOCIAL):
        yield from _found(text, pattern, SOCIAL, _is_social)
    yield from _found(text, _CALLED_PASSPORT, PASSPORT)
    for pattern in (_CALLED_ACCOUNT, _BANK_ACCOUNT):
        yield from _found(text, pattern, ACCOUNT, _is_account)
    yield from _found(text, _IBAN, IBAN, _is_iban)
    yield from _found(text, _LICENCE, LICENCE)
    yield from _found(text, _CALLED_OFFICIAL, OFFICIAL)


def _found(text: str, pattern: re.Pattern[str], kind: str, judge: Callable[[str], bool] | None = None) -> Iterator[Region]:
    group = "number" if "number" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        if judge is None or judge(match[group]):
            yield Region(*match.span(group), kind, _RANK)


def _phones(text: str) -> Iterator[Region]:
    if "01" in text or "82" in text:
        yield from _found(text, _MOBILE, PHONE, lambda number: _is_phone(number, "KR"))
    if "0" in text:
        yield from _found(text, _LANDLINE, PHONE, lambda number: _is_phone(number, "KR"))
    if "+" in text:
        yield from _found(text, _INTERNATIONAL, PHONE, _is_international)
    if "-" in text:
        yield from _found(text, _AMERICAN, PHONE, lambda number: _is_phone(number, "US"))
    yield from _found(text, _CALLED_PHONE, PHONE, lambda number: _is_phone(number, "KR") or _is_phone(number, "US"))


def _residents(text: str) -> Iterator[Region]:
    for match in _RESIDENT.finditer(text):
        if _is_resident(match[0], checked=not match["dash"]):
            yield Region(*match.span(), RESIDENT, _RANK - 10)
    yield from _found(text, _CALLED_RESIDENT, RESIDENT)


def _cards(text: str) -> Iterator[Region]:
    for pattern in (_CARD_GROUPS, _CARD_PLAIN, _CALLED_CARD):
        yield from _found(text, pattern, CARD, _is_card)
    yield from _found(text, _CALLED_CODE, CARD)


def _digits(number: str) -> str:
    return "".join(char for char in number if char in "0123456789")


def _is_phone(number: str, region: str) -> bool:
    import phonenumbers

    if len(set(_digits(number))) < 3:
        return False
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    return bool(phonenumbers.is_valid_number(parsed))


def _is_international(number: str) -> bool:
    # A line that a diff adds begins with a plus as well.
    separated = any(char in number for char in " .-(")
    return (separated or number.startswith("+82")) and _is_phone(number, "KR")


def _is_resident(number: str, *, checked: bool) -> bool:
    from stdnum.kr import rrn

    compact = _digits(number)
    if checked:
        return bool(rrn.is_valid(compact))
    month, day = int(compact[2:4]), int(compact[4:6])
    return 1 <= month <= 12 and 1 <= day <= 31


def _is_social(number: str) -> bool:
    from stdnum.us import itin, ssn

    return bool(ssn.is_valid(number) or itin.is_valid(number))


def _is_card(number: str) -> bool:
    from stdnum import luhn

    digits = _digits(number)
    return 13 <= len(digits) <= 19 and len(set(digits)) > 1 and bool(luhn.is_valid(digits))


def _is_account(number: str) -> bool:
    return 10 <= len(_digits(number)) <= 16 and not re.match(r"(?:19|20)[0-9]{2}-[01][0-9]-", number)


def _is_iban(number: str) -> bool:
    from stdnum import iban

    return bool(iban.is_valid(number))
