(* other *)
structure Pile =
struct
	datatype 'a pile = Nil | Cons of 'a * 'a pile
	exception Bad
	fun take Nil = raise Bad
		| take (Cons (y, more)) = (y, more)
	fun length Nil = 0
		| length (Cons (_, more)) = 1 + length more * 2
end
val bound = 7
fun twice n = n * 2
val it = let
		val t = Pile.Cons (2.0, Pile.Nil)
	in
		if Pile.length t > 10 andalso true
		then show "big"
		else show (Char.toString #"d")
	end
