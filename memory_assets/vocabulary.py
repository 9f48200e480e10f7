"""The closed lists of words that several rooms share: each is written down here, and nowhere else.

They are the words of the log, of the tables, of ``--json`` and of the tools, so a word is only ever added.
"""

from __future__ import annotations

from typing import Literal, get_args

PipelineStage = Literal["ingested", "extracted", "aligned", "materialized", "idris_checked", "projected", "vectorized"]
PIPELINE_STAGES: tuple[PipelineStage, ...] = get_args(PipelineStage)
"""From session files to search, in their order."""

EntryType = Literal["decision", "fact", "preference", "insight", "task", "reference"]

Origin = Literal["typed", "said", "pasted", "template", "tool"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
"""Who wrote a stretch of a message: the person, the agent, somebody whose text the person handed over, a program, a tool."""
OF_OTHERS: frozenset[Origin | None] = frozenset[Origin | None](("pasted", "template", "tool"))
"""What neither the person nor the agent wrote: wherever it is shown, its origin is."""

Turn = Literal["asks", "replies", "asks_back"]
"""What a passage is in its conversation: it ends with a question, it follows one of somebody else, or both."""

Stage = Literal["raw", "working", "candidate", "verified", "certified"]
STAGES: tuple[Stage, ...] = get_args(Stage)
"""How far an entry has come: the ladder that proofs, policy, log and tables share, lowest first."""

Assurance = Literal["unproved", "quoted", "held", "confirmed"]
ASSURANCES: tuple[Assurance, ...] = get_args(Assurance)
"""What a screen says of a stage: what was proved, least first."""

TaskStatus = Literal["pending", "in_progress", "blocked", "done", "cancelled"]
TASK_STATUSES: tuple[TaskStatus, ...] = get_args(TaskStatus)
FINISHED: tuple[TaskStatus, ...] = ("done", "cancelled")
"""Of a task that nobody works at any more."""
InitialStatus = Literal["pending", "in_progress", "blocked"]
"""A task is never born done."""
DoneBasis = Literal[
    "todo_tool", "commit", "passing_test", "thanks", "report", "changed_files", "turn_ended", "said_again", "person"
]
DONE_BASES: tuple[DoneBasis, ...] = get_args(DoneBasis)
"""What settles that a task is done (docs/tasks.md), what a program wrote down first and a person's command last."""
Priority = Literal["low", "medium", "high", "critical"]
PRIORITIES: tuple[Priority, ...] = get_args(Priority)

EntityKind = Literal["task", "condition", "artifact"]
"""What sessions name and tasks wait for."""
ArtifactKind = Literal["url", "jira", "gh_issue", "gh_pr", "file", "commit"]
MatchMethod = Literal["exact", "alias", "lexical", "vector", "person"]
"""How a name was recognised."""

UnitKind = Literal["entry", "task", "passage", "gotcha", "episode", "lesson"]
UNIT_KINDS: tuple[UnitKind, ...] = get_args(UnitKind)
"""What search finds."""

AskedMode = Literal["auto", "lexical", "vector", "hybrid"]
MODES: tuple[AskedMode, ...] = get_args(AskedMode)
SearchMode = Literal["lexical", "vector", "hybrid"]
Scope = Literal["task", "worktree", "project", "org"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""How far around the asker a search looks, narrowest first."""
Strategy = Literal["simple", "standard", "complex"]
"""How a question is answered, by how complex it is."""
Intent = Literal["how_to_do", "what_happened", "known_issues", "environment", "code_structure"]
INTENTS: tuple[Intent, ...] = get_args(Intent)

LegScoreKind = Literal["bm25", "cosine"]
FusionMethod = Literal["weighted", "zscore", "rrf"]
FUSIONS: tuple[FusionMethod, ...] = get_args(FusionMethod)
"""How the legs of a search become one ranking."""
ScoreKind = Literal["weighted", "zscore", "rrf", "bm25", "cosine"]
SCORE_KINDS: tuple[ScoreKind, ...] = get_args(ScoreKind)
"""What orders hits: a fusion, or the one leg that took part."""
FacetKind = Literal["term", "entity", "time", "file", "speaker"]
"""What a question may ask about."""
CrossedBy = Literal["glossary", "texts", "sound", "calendar"]
"""What tells that two words of two languages say the same."""

NextAction = Literal["enough", "widen", "timeline", "ask_a_person", "nothing_found"]
"""What to do after an answer."""
RefusalReason = Literal[
    "score_gate",
    "attribution",
    "no_index",
    "no_chunks",
    "llm_self_judge",
    "llm_stream_aborted",
    "multi_hop_decompose_failed",
    "nli_verification_failed",
    "nli_model_unavailable",
]
REFUSAL_REASONS: tuple[RefusalReason, ...] = get_args(RefusalReason)
"""Why a question is not answered: too little speaks of it, nobody whom it names said it, no index, nothing found; the model
says that it cannot, somebody stopped it, the question cannot be taken apart, its answer does not follow from the evidence,
nobody can say whether it does."""

RecordedAnswers = Literal["conversations", "always", "never"]
"""Which answers are written into the log."""

DisclosureReason = Literal[
    "explicit_ids",
    "high_confidence_single",
    "clear_winner",
    "ambiguous_multiple_high",
    "low_confidence",
    "no_results",
    "no_expansion_rule_matched",
]
"""Why something, or nothing, of the hits is opened."""

ExportFormat = Literal["markdown", "jsonl", "chat.v1"]
EXPORT_FORMATS: tuple[ExportFormat, ...] = get_args(ExportFormat)

Signal = Literal["used", "helpful", "wrong"]
SIGNALS: tuple[Signal, ...] = get_args(Signal)
"""Of what use a hit was."""

FindingKind = Literal[
    "changed_input",
    "repeated_failure",
    "user_correction",
    "refused_call",
    "reverted",
    "standing_order",
    "praised",
    "missing_result",
    "unanswered_question",
]
Actor = Literal["human", "ai", "tool", "system"]
"""Who acts in an event of a case."""
CourtRole = Literal["prosecutor", "defense", "jury"]
EvidencePart = Literal["failure", "cause", "remedy", "order", "praise", "question"]
"""What some words of a case show."""
Polarity = Literal["do", "dont"]
Severity = Literal["low", "medium", "high", "critical"]
LessonStatus = Literal["active", "contested", "merged", "superseded", "retired"]
"""It stands; newer evidence says otherwise; a newer lesson says the same; a newer one replaces it; it is read no more."""

CourtBackend = Literal["embedded", "postgres"]
"""Where lessons of a role are searched by meaning: in the store alone, or in a PostgreSQL that mirrors its court."""

LinkKind = Literal["merges", "supersedes", "conflicts", "coexists"]
"""What the newer lesson does to the older one; ``coexists`` says that both stand, however alike they are."""
