"""English words by one form: ``went`` and ``going`` are ``go``, ``children`` is ``child``, ``deployed`` is ``deploy``.

What is regular is cut as `english_words` does it, what is not is listed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from memory_assets.text.english_words import inflected

_IRREGULAR: Final = """
be am is are was were been being/become became/begin began begun/bend bent/bet/bite bit bitten/bleed bled/blow blew blown
break broke/broken/breed bred/bring brought/build built/burn burnt/buy bought/catch caught/choose chose chosen/come came
cost/cut/deal dealt/dig dug/do did done does/draw drew drawn/dream dreamt/drink drank drunk/drive drove driven/eat ate eaten
fall fell fallen/feed fed/feel felt/fight fought/find found/fly flew flown flies/forbid forbade forbidden
forget forgot forgotten/forgive forgave forgiven/freeze froze frozen/get got gotten/give gave given/go went gone goes
grow grew grown/hang hung/have had has/hear heard/hide hid hidden/hit/hold held/hurt/keep kept/kneel knelt/know knew known
lay laid/lead led/learn learnt/leave left/lend lent/lose lost/make made/mean meant/meet met/pay paid/put/quit/read
ride rode ridden/ring rang rung/rise rose risen/run ran/say said/see saw seen/seek sought/sell sold/send sent
shake shook shaken/shine shone/shoot shot/show shown/shrink shrank shrunk/shut/sing sang sung/sink sank sunk/sit sat
sleep slept/slide slid/speak spoke spoken/spend spent/split/spread/stand stood/steal stole stolen/stick stuck/strike struck
swear swore sworn/sweep swept/swim swam swum/take took taken/teach taught/tear tore torn/tell told/think thought
throw threw thrown/understand understood/wake woke woken/wear wore worn/weep wept/win won/wind wound
withdraw withdrew withdrawn/write wrote written/rewrite rewrote rewritten/overwrite overwrote overwritten/rebuild rebuilt
rerun reran/undo undid undone/override overrode overridden/child children/man men/woman women/person people/foot feet
tooth teeth/mouse mice/goose geese/wife wives/life lives/knife knives/leaf leaves/shelf shelves/wolf wolves/half halves
loaf loaves/thief thieves/calf calves/index indices/vertex vertices/matrix matrices/criterion criteria/phenomenon phenomena
parenthesis parentheses/analysis analyses/crisis crises/hypothesis hypotheses/basis bases
"""
_FORMS: Final = {
    words[0]: tuple(words[1:])
    for words in (some.split() for line in _IRREGULAR.strip().split("\n") for some in line.split("/"))
    if words
}
_BASES: Final = {form: base for base, forms in _FORMS.items() for form in forms}


@lru_cache(maxsize=1 << 14)
def base_form(word: str) -> str:
    """A lower-case English word without what grammar does to it; whatever else as it is."""
    return _BASES.get(word) or inflected(word)


def irregular_forms(base: str) -> tuple[str, ...]:
    """The listed other forms of a base form; none where it is regular."""
    return _FORMS.get(base, ())
