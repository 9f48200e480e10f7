module Memory.Session

import public Memory.Rule
import public Memory.Evidence
import public Memory.Stage
import public Memory.Task

%default total

public export
citable : Stage -> Bool
citable Verified = True
citable Certified = True
citable _ = False

||| When the last thing was said that an entry rests on.
public export
entryTime : Entry eid st failed -> Integer
entryTime (Draft _ _ _ _ _) = 0
entryTime (Extract e) = entryTime e
entryTime (Ground _ evs _ _) = latest 0 evs
entryTime (Verify e _) = entryTime e
entryTime (Certify e _ _) = entryTime e

||| An entry that a decision taken at the time `at` rests on.
public export
data Cited : (at : Integer) -> Type where
  Cite : {eid : String} -> {st : Stage} -> {failed : Integer} -> (e : Entry eid st failed) ->
         (0 v : Holds "decision-cites-verified" eid (citable st)) ->
         (0 p : Holds "evidence-precedes-decision" eid (atMost (entryTime e) at)) ->
         Cited at
  ||| An entry of another module: its stage and time are taken from the event log.
  CiteOther : (eid : String) -> (st : Stage) -> (ts : Integer) ->
         (0 v : Holds "decision-cites-verified" eid (citable st)) ->
         (0 p : Holds "evidence-precedes-decision" eid (atMost ts at)) ->
         Cited at

public export
data Ruling : (did : String) -> Type where
  Decide : (did : String) -> (ts : Integer) -> (cites : List (Cited ts)) ->
           (0 i : Holds "decision-id-not-empty" did (filled did)) ->
           (0 e : Holds "decision-has-evidence" did (some cites)) ->
           Ruling did

public export
decisionId : Ruling did -> String
decisionId (Decide d _ _ _ _) = d

||| The entries of a session in ascending order of their ids; the last id is in the type, so that no id comes twice.
public export
data Entries : (last : String) -> Type where
  Empty : Entries ""
  Add   : {eid : String} -> {st : Stage} -> {failed : Integer} ->
          Entries prev -> Entry eid st failed ->
          (0 u : Holds "entry-ids-unique" eid (lessText prev eid)) ->
          Entries eid

public export
ascending : String -> List String -> Bool
ascending _ Nil = True
ascending prev ((::) x xs) = both (lessText prev x) (ascending x xs)

||| The ids of one kind of thing, ascending: none is empty, none comes twice.
public export
data Unique : Type where
  AllUnique : (kind : String) -> (ids : List String) ->
              (0 u : Holds "ids-unique" kind (ascending "" ids)) ->
              Unique
