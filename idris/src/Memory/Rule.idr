module Memory.Rule

-- Nothing here leans on the Prelude: what a bare compiler knows (literals and primitives) is all that the package
-- needs, so it builds anywhere and starts fast. Literals are then Integer and String themselves.

%default total

public export
data Bool = False | True

public export
data List : Type -> Type where
  Nil : List a
  (::) : a -> List a -> List a

||| An obligation, by name, about something that has an id. Whoever states it writes `Ok`; it is the type checker that
||| computes the Bool, so `Ok` has this type only where the obligation is met. Name and subject take no part in the
||| proof: they are what an error message shows.
public export
data Holds : (rule : String) -> (subject : String) -> Bool -> Type where
  Ok : Holds rule subject True

||| A comparison of primitives answers with an Int: 0 is no, anything else is yes.
public export
answer : Int -> Bool
answer n = case prim__cast_IntInteger n of
                0 => False
                _ => True

public export
both : Bool -> Bool -> Bool
both True y = y
both False _ = False

public export
less : Integer -> Integer -> Bool
less x y = answer (prim__lt_Integer x y)

public export
atMost : Integer -> Integer -> Bool
atMost x y = answer (prim__lte_Integer x y)

public export
same : Integer -> Integer -> Bool
same x y = answer (prim__eq_Integer x y)

||| A number below zero, which has no literal of its own here.
public export
minus : Integer -> Integer
minus x = prim__sub_Integer 0 x

public export
lessText : String -> String -> Bool
lessText x y = answer (prim__lt_String x y)

public export
sameText : String -> String -> Bool
sameText x y = answer (prim__eq_String x y)

||| How many characters (code points) a text has.
public export
size : String -> Integer
size s = prim__cast_IntInteger (prim__strLength s)

||| `count` characters of a text, from the one at `start` on (counted from 0).
public export
portion : (start, count : Integer) -> String -> String
portion start count s = prim__strSubstr (prim__cast_IntegerInt start) (prim__cast_IntegerInt count) s

public export
filled : String -> Bool
filled s = less 0 (size s)

public export
some : List a -> Bool
some Nil = False
some ((::) _ _) = True
