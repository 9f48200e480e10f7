module Memory.Task

import Memory.Rule

%default total

public export
data Status = Pending | InProgress | Blocked | Done | Cancelled

||| A task does not begin at its end.
public export
startOk : Status -> Bool
startOk Done = False
startOk Cancelled = False
startOk _ = True

||| The moves that a task may make. None leads from Pending to Done: what is done was once in progress.
public export
moveOk : (from, to : Status) -> Bool
moveOk Pending    InProgress = True
moveOk Pending    Blocked    = True
moveOk Pending    Cancelled  = True
moveOk InProgress Pending    = True
moveOk InProgress Blocked    = True
moveOk InProgress Done       = True
moveOk InProgress Cancelled  = True
moveOk Blocked    Pending    = True
moveOk Blocked    InProgress = True
moveOk Blocked    Blocked    = True
moveOk Blocked    Cancelled  = True
moveOk Done       InProgress = True
moveOk Cancelled  Pending    = True
moveOk _          _          = False

||| Nothing blocks itself, and a blocker has an id.
public export
othersOnly : String -> List String -> Bool
othersOnly t Nil = True
othersOnly t ((::) b bs) = case sameText b t of
                                True => False
                                False => both (filled b) (othersOnly t bs)

||| A blocked task names what blocks it; a task that is done names nothing.
public export
blockersOk : (task : String) -> Status -> List String -> Bool
blockersOk t Blocked bs = both (some bs) (othersOnly t bs)
blockersOk t Done Nil = True
blockersOk t Done ((::) _ _) = False
blockersOk t _ bs = othersOnly t bs

||| What happened to a task. Its status and the time of its last event are part of the type.
public export
data History : (task : String) -> Status -> (last : Integer) -> Type where
  Create : (task : String) -> (ts : Integer) -> (s : Status) -> (blockers : List String) ->
           (0 i : Holds "task-id-not-empty" task (filled task)) ->
           (0 c : Holds "task-starts-legally" task (startOk s)) ->
           (0 b : Holds "blockers-fit-status" task (blockersOk task s blockers)) ->
           History task s ts
  Move   : History task from before -> (ts : Integer) -> (to : Status) -> (blockers : List String) ->
           (0 l : Holds "legal-task-transition" task (moveOk from to)) ->
           (0 o : Holds "events-in-time-order" task (atMost before ts)) ->
           (0 b : Holds "blockers-fit-status" task (blockersOk task to blockers)) ->
           History task to ts

public export
taskId : History task status last -> String
taskId (Create t _ _ _ _ _ _) = t
taskId (Move h _ _ _ _ _ _) = taskId h
