"""Which sentences can carry a memory: whole ones, that say something of their own.

An agent's report of what it did belongs to the request that it answers. A line that names a changed file, a count of what is
through, half a sentence, a bare path: each may stand beside a memory, and none is one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memory_assets.extraction.scoring import Scored
from memory_assets.text.informal_english import spelled_out
from memory_assets.text.sentences import MAX_LENGTH

GO_ON = "go-on"
"""The cue of a sentence that only lets an agent go on."""
_FILE = r"(?:[*_`\[]{1,4}|(?=[~.\w]{0,60}/))(?:[\w.~@-]{0,60}/){0,12}[\w.@*-]{1,80}\.[A-Za-z]{1,5}(?::\d[\d-]*)?[`*_\]]{0,4}"
"""A file in marks, or with its folder: a name alone (``Node.js``) may be what is spoken of."""
_CHANGED_FILE = re.compile(
    rf"^(?:[*_]{{0,2}}\d{{1,2}}[.)] |[*_]{{0,2}}Files?:[*_]{{0,2}} )?(?:{_FILE}(?:\s?(?:,|and|및|와|과)\s?)?){{1,3}}"
    r"(?:\s{0,2}(?:$|[:：—–→-]|(?:new|modified|updated|created|deleted|신규|수정)\b)|\s{1,2}\()"
    r"|^(?:Lines? \d[\d, –-]*|\(\d{1,3}\)|L\d+)\b.{0,12}[:(]",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"^\D{0,40}\d{1,4}\s?/\s?\d{1,4}\b[^.]{0,24}(?:완료|done|complete|pass)"
    r"|^(?:모든|전체|총)?\s?\S{0,30}\s?\d{0,4}개?\s?\S{0,12}\s?(?:모두\s)?(?:마이그레이션이?\s)?(?:성공적으로\s)?완료(?:되었|됐|했)습니다[.!]?$"
    r"|^[*_`]{0,2}\d{1,4}(?:/\d{1,4})?\s(?:tests?|files?|lines?|개)\b"
    r"(?:\s(?:\w+\s)?(?:pass\w*|chang\w*|add\w*|updat\w*|done))?[.!*_` ]*$",
    re.IGNORECASE,
)
_BOLD = re.compile(r"(?<!\s)\*\*|\*\*(?!\s)")
_SMILEY = re.compile(r"[:;]-?[()]")
_BARE = re.compile(
    r"^\W{0,4}(?:[~.]{0,2}/?(?:[\w.@%+-]{1,80}/){1,16}[\w.@%+-]{0,80}|https?://\S+|[\w.-]+\(\)|@\S+)\W{0,4}$"
    r"|^(?:--?[A-Za-z][\w-]{0,60}(?:=\S{1,120}| (?=\S{0,120}[/.\d])[^\s-][!-~]{0,120})?(?:\s|$)){2,20}$"
)
_POINTS_BACK = re.compile(
    r"^\W{0,3}(?:(?:but|so|and|also|then|or|yes|no|right|actually)\b[\s,—–-]{1,4})?"
    r"(?:(?:that|this|it|these|those|they|both|which|he|she|the former|the latter|same)\b"
    r"|(?:without|despite|because of) (?:that|this|it|these|those|them)\b|more importantly\b"
    r"|(?:원인|이유|까닭|문제점?|해결책|결과)[은는](?=\s)|(?:연관|관련)된\s"
    r"|(?:위와 같[은이]|이와 같[은이]|해당 (?:파일|작업|문서|내용|부분))(?=[\s은는이가을를도,])"
    r"|(?:이건|이것|이는|이를|이게|그건|그것|그게|그거|이거|이걸|그걸|이렇게|그렇게|그러면|그럼|그래서|즉|하지만|다만|둘 다)"
    r"(?=[\s은는이가을를도,]))",
    re.IGNORECASE,
)
_BELONGS_BEHIND = re.compile(
    r"^\W{0,3}(?:(?:while|since|because|although) (?:this|these|those)\b|for (?:example|instance)\b|(?-i:Or) [a-z]"
    r"|(?:do|did|have)n['’]t you (?:read|see|know|remember|follow|check)\b"
    r"|예를 (?:들어|들면)(?=[\s,])|(?:또는|혹은|반면에?)(?=[\s,]))",
    re.IGNORECASE,
)
"""An example, an alternative, what follows from the sentence before, or a question that finds fault with what it names."""
_PURPOSE = re.compile(
    r"^\W{0,3}so (?:that )?(?:we|i|you|it|they|users?)"
    r" (?:(?:do|does|wo|need|must)(?: not|n['’]t)|can(?:not|['’]t)?|could|never)\b",
    re.IGNORECASE,
)
"""A person goes on with what something is for ("so we don't need to …"), which is asked for before."""
_ASKS_TO_KNOW = re.compile(
    r"^\W{0,3}(?:(?:so|and|but|ok(?:ay)?|hmm+|q|question|follow[- ]?up|also)\b[\s,:.…]{0,3}){0,2}"
    r"(?:(?:is|are|was|were) there|why|(?:what(?:'s)?|how)(?! about\b)|which"
    r"|(?:where|who)['’]s|who \w+s"
    r"|(?:where|when|who) (?:exactly |else )?(?:is|are|was|were|do|does|did|will|would|can|could|should|has|have)"
    r"|do(?:es)? (?:you|it|this|that|we|they|the)|did"
    r"|is (?:it|this|that|the)|are (?:we|these|they|the)|have you"
    r"|(?:can|could) (?:it|we detect|this|that)(?! be\b)"
    r"|(?:can|could) (?:we|you) tell (?:me )?(?:whether|if|what|how|why|which))\b"
    r"[^\n]{0,400}\?\W{0,3}$"
    r"|^\W{0,3}(?:if|when|once)\b[^\n]{0,200}?,\s(?:what|how|why|when)"
    r"(?:['’]s| (?:will|would|is|are|do|does|happens|should|can|could))\b[^\n]{0,400}\?\W{0,3}$"
    r"|^\W{0,3}(?:q|question)[:,] [^\n]{0,400}\?\W{0,3}$"
    r"|^\W{0,3}(?:(?:so|and|but|ok(?:ay)?|hmm+|also|wait)\b[\s,:.…]{0,3}){0,2}"
    r"(?:how (?:long|many|much|often|old|big|do|does|is|are)|why (?:is|are|do|does|did|was|were)|where (?:is|are|do|does)"
    r"|when (?:is|are|does|did|will)|who (?:is|owns|uses)|what (?:is|are|does|did|was|were)|what['’]s)"
    r" (?!you\b|[^\n]*\b(?:is|are) (?:that|an?|the|every|to)\b|[^\n]*\b(?:must|never|always|should)\b)"
    r"[\w'’/`-]{1,40}(?: [\w'’/`-]{1,40}){1,10}$"
    r"|^\W{0,3}(?:(?:can|could|would) you )?(?:please )?(?:check|tell me|explain|say)[:,]? (?:what|whether|if|how|why|which)\b"
    r"[^\n]{0,400}\?\W{0,3}$"
    r"|^\W{0,3}(?:can|could|will|would) you help (?:me|us)(?: out)? (?:if|when|in case)\b[^\n]{0,200}\?\W{0,3}$"
    r"|^\W{0,3}(?:is there (?:a|any) (?:reason|way)|do you (?:think|believe|know)|is (?:it|this|that) (?:because|how|why)"
    r"|why did (?:we|you|they)\b[^,;.\n]{0,200}$)"
    r"|^[^\n]{0,120}\b(?:was|were|is|are|had|has|have|works?|worked|used to|did|does|got|ran|fails?|failed)\b"
    r"[^\n]{0,120},\s(?:so |and |but )?"
    r"(?:(?:is|was) (?:it|that|this) because|why (?:did|do) (?:we|you|they))\b"
    r"|^[^\n]{2,200}(?:것|게|점|부분|문제|이슈|데|경우)[이가은는도]?\s?(?:있|없)(?:을까요?|나요?|어요?|니|습니까)\?\W{0,3}$"
    r"|^[^\n]{0,60}(?:어떤|무슨|무엇|뭐|뭔|왜|어떻게)[^\n]{0,40}(?:는|은|을|인|한|된|할|될)지(?:를|만)?\s?(?:정리|설명|요약|알려)(?:해)?"
    r"\s?(?:줘|주세요|줄래)\W{0,3}$"
    r"|^[^\n]{0,100}(?:내|제|우리)가\s[^\n]{2,100}야\s?(?:하|되|돼)(?:지|죠|나요?|니|냐)\?\W{0,3}$"
    r"|^(?![^\n]{0,200}좋겠)[^\n]{2,200}(?<!수 )(?<!수)(?<!수도 )(?<!수는 )(?<!수가 )"
    r"(?:있|없)(?:지|죠|나요?|니|냐|어요?)\?\W{0,3}$"
    r"|^\W{0,3}(?:왜|어떻게|무엇|뭐가|뭘|어디|언제|누가|몇)[^\n]{0,200}(?:까|나|나요|가요|지|죠|어|야)\?\W{0,3}$",
    re.IGNORECASE,
)
"""A person's question for something to be told, or promised: no memory, whatever its words; what answers it may be one."""
_ALSO_ORDERS = re.compile(
    r"\bplease (?!explain|tell|describe)\w"
    r"|[,;.] (?:(?:and|then|so|just) ){0,2}(?:fix|add|remove|change|update|rename|make|revert|clear) (?!and\b|or\b)\w"
    r"|\band (?:then )?(?:fix|add|remove|change|update|rename|revert|delete|restart|clear|move|merge|kill|retry|skip|drop|stop)"
    r" (?:it|them|that|this|these|those|the|any|all|what\w*)\b"
    r"|(?:고쳐|바꿔|만들어|(?:수정|추가|삭제|변경|적용|반영|구현|해결)해)\s?(?:주실|주시|주세요|줄 |줄래|줘|달라|주겠)",
    re.IGNORECASE,
)
"""What a question holds that asks for something to be done as well."""
_PROMPT = re.compile(r"^\[[^\]\n]{0,120}[/~][^\]\n]{0,120}\]\W{0,3}$")
"""The prompt of a terminal, in brackets."""
_ONLY_CODE = re.compile(r"^\W{0,4}`[^`\n]{1,200}`\W{0,4}$")
_PRINTED = re.compile(
    r"^\W{0,3}[\w./@-]{1,120}\.[A-Za-z]{1,5}:\d{1,6}(?::\d{1,5})?:\s.{0,80}\b(?:error|warning|fail\w*|panic|note)\b",
    re.IGNORECASE,
)
"""What a compiler or a test prints: a file, a line, and what is wrong there."""
_LONGEST_TOPIC = 8
_BEGINS_STEP = re.compile(r"^\W{0,6}(?:task|step|phase|stage|작업|단계)\s?\d{1,2}(?:\.\d{1,2})?\s?[:：.)—–-]", re.IGNORECASE)
"""The heading under which an agent begins a step of a plan."""
_LOOKS_NEXT = re.compile(
    r"\b(?:let me|i['’]ll|i will|i['’]m going to) (?:now |first |also |just |quickly |double-)?"
    r"(?:verify|check|look|read|see(?! that| to it)|trace|confirm|inspect|dig|investigate|explore|find|search)\b"
    r"|(?:확인|검토|분석|파악|조사|검증|탐색|살펴 ?보|찾아 ?보|읽어 ?보|읽)(?:해 ?보)?(?:하)?겠습니다[.!]?$",
    re.IGNORECASE,
)
_AND_THEN = re.compile(r"\band\b|하고\s", re.IGNORECASE)
_SAYS_NOTHING_MORE = re.compile(
    r"^\W{0,4}(?:new |unit |integration )?tests? (?:added|updated|written)\b"
    r"|^\W{0,6}(?:pros?|cons?|장점|단점)\W{0,3}[:：]"
    r"|^[*_]{2}[^*\n]{1,160}(?:[:：][*_]{2}|[*_]{2}[:：])$",
    re.IGNORECASE,
)
"""An agent says that it wrote tests, or what speaks for or against one of its options; or it only names what stands below."""
_SAYS_SOMETHING = re.compile(
    r"[:：`→—]|\s-\s|n['’]t\b|\b(?:is|are|was|were|has|have|must|never|always|not|now)\b|(?:다|함|됨|음|까|요)[.!?]?$",
    re.IGNORECASE,
)
"""What a heading has that says something by itself: what is named and what of it, a change, code, a verb."""
_ORDERS_THAT = re.compile(
    r"\b(?:change|fix|update|do|add|remove|handle|drop|rename|move|address|solve|implement|revert|keep|avoid|check|clean)"
    r" (?:that|this|it|them|these|those|both)\b|(?:이|그)(?:것|걸|거)(?:도|을|를|만)?\s?\S{1,8}(?:줘|주세요|하자|부탁)",
    re.IGNORECASE,
)
"""What is asked for is named by a word alone ("change that", "이것도 고쳐줘")."""
_ASKS_CAUSE = re.compile(
    r"\b(?:find out|figure out|check|see|look into|tell me|investigate|know)"
    r" (?:why|what(?:['’]s| is) (?:wrong|happening|going on|up))(?:\W*$|(?=,))"
    r"|^\W{0,3}(?:please )?make (?:it|them|that|this)\b(?! \d)"
    r"|^\W{0,3}(?:can|could) you (?:please )?(?:have a |take a )?look\b(?! at| into)"
    r"|(?:원인|이유|왜 (?:그런|이런)지)(?:을|를|이 뭔지|만|좀|도|부터)?\s?"
    r"(?:찾아|봐|확인|알아|파악)\S{0,12}\W*$",
    re.IGNORECASE,
)
"""What is asked for, of something that was said before: its cause, or that it be made otherwise."""
_FEW_WORDS = 4
"""Telling words of a sentence that does not say what it is about."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PAIRS = (("(", ")"), ("[", "]"))
_OPENS_SMALL = re.compile(
    r"^[)\],;:.…→]|^\(`?[a-z]{2}|^[(—–-]{1,2}\s?(?:so|and|but|or|which|because)\b"
    r"|^(?:and|or|but|which|that is|because|so that|to|rather than|instead of|as opposed to|such as|including"
    r"|whereas)\s[a-z]"
)


def can_carry(one: Scored) -> bool:
    """Whether a sentence can be the first quote of an entry."""
    text = one.spot.sentence.text.strip()
    if len(_WORD.findall(text)) < 2 and not any("가" <= c <= "힣" for c in text):
        return False
    if (
        _BARE.match(text)
        or _ONLY_CODE.match(text)
        or _PROMPT.match(text)
        or (one.spot.voice == "user" and _PRINTED.match(text))
    ):
        return False
    if one.spot.origin == "typed":
        return not (one.has(GO_ON) or asks_to_know(text))
    if one.spot.origin == "pasted" and text.endswith("?"):
        return False
    if one.spot.sentence.shape == "heading" and (_names_a_topic(text) or _BEGINS_STEP.match(text)):
        return False
    if _LOOKS_NEXT.search(text) or _SAYS_NOTHING_MORE.search(text):
        return False
    return not (one.reports or _CHANGED_FILE.match(text) or _COUNT.match(text) or is_torn(text))


def only_looks_next(text: str) -> bool:
    """Whether an agent says what it looks at next, and nothing that it does then."""
    return _LOOKS_NEXT.search(text) is not None and _AND_THEN.search(text) is None


def _names_a_topic(text: str) -> bool:
    """Whether an agent's heading only says what stands below it ("The root cause in one sentence")."""
    return len(text.split()) <= _LONGEST_TOPIC and _SAYS_SOMETHING.search(text) is None


def asks_to_know(text: str) -> bool:
    """Whether a person's sentence only asks for something to be told."""
    return _asks_to_know(text) if len(text) <= MAX_LENGTH else _asks_to_know.__wrapped__(text)


@lru_cache(maxsize=1 << 10)  # each step that leaves questions out asks; no whole message is held for it
def _asks_to_know(text: str) -> bool:
    said = spelled_out(text)
    return _ASKS_TO_KNOW.match(said) is not None and _ALSO_ORDERS.search(said) is None


def also_orders(text: str) -> bool:
    """Whether a person's sentence, whatever it asks, asks for something to be done."""
    return _ALSO_ORDERS.search(spelled_out(text)) is not None


def points_back(text: str) -> bool:
    """Whether a sentence begins with a word for something that the one before it names ("it", "그건", "하지만")."""
    return _POINTS_BACK.match(text) is not None


def belongs_behind(text: str) -> bool:
    """Whether a sentence says its own only behind the one before it: it points back, or gives an example or an alternative."""
    return points_back(text) or _BELONGS_BEHIND.match(text) is not None


def leans_back(one: Scored) -> bool:
    """Whether a person's sentence names what it asks for only by a word for what was said before it ("change that")."""
    text = one.spot.sentence.text
    if one.spot.position == 0:
        return False
    few = len(one.spot.words) <= _FEW_WORDS
    if few and asks_of_what_is_told(one):
        return True
    return _PURPOSE.match(text) is not None or (few and (points_back(text) or _ORDERS_THAT.search(text) is not None))


def asks_of_what_is_told(one: Scored) -> bool:
    """Whether a person asks for the cause of what the message tells first, or to have it made otherwise."""
    return one.spot.position > 0 and _ASKS_CAUSE.search(spelled_out(one.spot.sentence.text)) is not None


def is_torn(text: str) -> bool:
    """Whether a text is a part of a sentence: it ends or begins in the middle, or a bracket or mark of it stands alone."""
    if _OPENS_SMALL.match(text):
        return True
    bare = _SMILEY.sub("", re.sub(r"`[^`\n]*`", "", text))
    if bare.count("`") % 2 or len(_BOLD.findall(bare)) % 2:
        return True
    return any(bare.count(left) != bare.count(right) for left, right in _PAIRS) and not re.search(r"^\S{1,3}\)", bare)
