(* stacks *)
structure Stack =
struct
  datatype 'a stack = Empty | Push of 'a * 'a stack

  exception Nothing

  fun pop Empty = raise Nothing
    | pop (Push (x, rest)) = (x, rest)

  fun size Empty = 0
    | size (Push (_, rest)) = 1 + size rest * 2
end

val limit = 0wx1F
fun twice n = n * 2
val it = let
    val s = Stack.Push (1.5, Stack.Empty)
  in
    if Stack.size s > 10 andalso true
    then print "large"
    else print (Char.toString #"c")
  end
