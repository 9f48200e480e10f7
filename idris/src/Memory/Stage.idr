module Memory.Stage

import Memory.Rule
import Memory.Evidence

%default total

public export
data Stage = Raw | Working | Candidate | Verified | Certified

public export
data Kind = Fact | Decision | Preference | Insight | TaskNote | Reference

||| An entry of memory at a stage. There is one way up: each constructor but the first takes the entry at the stage just
||| below, so a skipped stage is an ill-typed term. `failed` counts the quotes that were found nowhere.
public export
data Entry : (eid : String) -> Stage -> (failed : Integer) -> Type where
  Draft   : (eid : String) -> Kind -> (title : String) ->
            (0 i : Holds "entry-id-not-empty" eid (filled eid)) ->
            (0 t : Holds "title-not-empty" eid (filled title)) ->
            Entry eid Raw 0
  Extract : Entry eid Raw 0 -> Entry eid Working 0
  Ground  : Entry eid Working 0 -> (evidence : List SomeEvidence) -> (failed : Integer) ->
            (0 e : Holds "has-evidence" eid (some evidence)) ->
            Entry eid Candidate failed
  Verify  : Entry eid Candidate failed ->
            (0 a : Holds "all-evidence-aligned" eid (same failed 0)) ->
            Entry eid Verified failed
  Certify : Entry eid Verified failed -> (certifier : String) ->
            (0 c : Holds "certifier-named" eid (filled certifier)) ->
            Entry eid Certified failed
