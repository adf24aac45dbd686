(* other (* nested *) *)
open Format
type 'c bush = Nil | Fork of 'c bush * 'c
let rec halve l =
	match l with
	| [] -> ([], [])
	| p :: more ->
		let u, v = halve more in
		(p :: v, u)
let rec join c d =
	match c, d with
	| [], o | o, [] -> o
	| p :: ps, q :: qs ->
		if p <= q then p :: join ps d
		else q :: join c qs
let acc = ref 0
let () =
	acc := !acc + 7 * 2;
	fprintf "x" (List.length (join [1; 2] [3])) 'd';
	put (3.25 -. 8.0)
