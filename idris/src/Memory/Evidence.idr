module Memory.Evidence

import Memory.Rule

%default total

||| How a quote was found in its message.
public export
data Method = Exact | Normalized | Fuzzy

||| The embedded text is the message from the character `off` on, and ends within it: all of a short message, a window
||| around the quotes of a long one.
public export
windowOk : (len, off : Integer) -> (text : String) -> Bool
windowOk len off text = both (atMost 0 off) (atMost (prim__add_Integer off (size text)) len)

||| A message of the session: id, time in milliseconds, length in characters, offset of the embedded text, the text.
public export
data Message : Type where
  Msg : (mid : String) -> (ts, len, off : Integer) -> (text : String) ->
        Holds "message-id-not-empty" mid (filled mid) ->
        Holds "message-text-fits-length" mid (windowOk len off text) ->
        Message

public export
messageId : Message -> String
messageId (Msg mid _ _ _ _ _ _) = mid

public export
timeOf : Message -> Integer
timeOf (Msg _ ts _ _ _ _ _) = ts

public export
lengthOf : Message -> Integer
lengthOf (Msg _ _ len _ _ _ _) = len

||| A span is half-open and holds at least one character of the message.
public export
spanOk : (len, start, end : Integer) -> Bool
spanOk len start end = both (atMost 0 start) (both (less start end) (atMost end len))

||| Confidence in ten-thousandths: each method has a band of its own.
public export
confidenceOk : Method -> Integer -> Bool
confidenceOk Exact      c = same c 10000
confidenceOk Normalized c = both (atMost 9500 c) (less c 10000)
confidenceOk Fuzzy      c = both (atMost 8500 c) (less c 9500)

||| The stored slice is what the message says from `start` to `end`. The span may not begin before the embedded window,
||| and the slice is as long as the span: a substring that would be cut short at either edge is no match.
public export
sliceOk : Message -> (start, end : Integer) -> (slice : String) -> Bool
sliceOk (Msg _ _ _ off text _ _) start end slice =
  both (atMost off start)
       (both (same (prim__sub_Integer end start) (size slice))
             (sameText slice (portion (prim__sub_Integer start off) (prim__sub_Integer end start) text)))

||| An exact quote is its slice. That another quote resembles its slice is the aligner's claim: here it is only not empty.
public export
quoteOk : Method -> (quote, slice : String) -> Bool
quoteOk Exact quote slice = sameText quote slice
quoteOk _     quote _     = filled quote

||| A quote that was found in the message `m`.
public export
data EvidenceOf : Message -> Type where
  Cut : (eid : String) -> (method : Method) -> (conf, start, end : Integer) -> (quote, slice : String) ->
        (0 s : Holds "span-inside-message" eid (spanOk (lengthOf m) start end)) ->
        (0 c : Holds "confidence-fits-method" eid (confidenceOk method conf)) ->
        (0 t : Holds "slice-is-source-text" eid (sliceOk m start end slice)) ->
        (0 q : Holds "exact-quote-is-slice" eid (quoteOk method quote slice)) ->
        EvidenceOf m

public export
evidenceId : EvidenceOf m -> String
evidenceId (Cut eid _ _ _ _ _ _ _ _ _ _) = eid

public export
startOf : EvidenceOf m -> Integer
startOf (Cut _ _ _ start _ _ _ _ _ _ _) = start

public export
endOf : EvidenceOf m -> Integer
endOf (Cut _ _ _ _ end _ _ _ _ _ _) = end

public export
follow : (from, to : Integer) -> List (EvidenceOf m) -> Bool
follow from to Nil = same from to
follow from to ((::) e rest) = both (atMost from (startOf e)) (follow (endOf e) to rest)

||| The quoted parts of a quote with an ellipsis: the first begins where the whole begins, each follows the one before
||| it, the last ends where the whole ends.
public export
partsOk : EvidenceOf m -> List (EvidenceOf m) -> Bool
partsOk whole Nil = False
partsOk whole ((::) e rest) = both (same (startOf whole) (startOf e)) (follow (endOf e) (endOf whole) rest)

public export
data Segments : Type where
  InOrder : {m : Message} -> (eid : String) -> (whole : EvidenceOf m) -> (parts : List (EvidenceOf m)) ->
            (0 o : Holds "segments-in-order" eid (partsOk whole parts)) ->
            Segments

||| Evidence in whichever message.
public export
data SomeEvidence : Type where
  Ev : (m : Message) -> EvidenceOf m -> SomeEvidence

||| The time of the latest message that is cited, or `t` when none is later.
public export
latest : Integer -> List SomeEvidence -> Integer
latest t Nil = t
latest t ((::) (Ev m _) es) = case less t (timeOf m) of
                                   True => latest (timeOf m) es
                                   False => latest t es
