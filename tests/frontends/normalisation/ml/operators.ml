(* merge sort *)
open Printf

type 'a tree = Leaf | Node of 'a tree * 'a

let rec split items =
  match items with
  | [] -> ([], [])
  | x :: rest ->
    let left, right = split rest in
    (x :: right, left)

let rec merge a b =
  match a, b with
  | [], other | other, [] -> other
  | x :: xs, y :: ys ->
    if x >= y then x :: merge xs b
    else y :: merge a ys

let total = ref 0
let () =
  total := !total * 0x1F + 2;
  printf "%d %c" (List.length (merge [1; 2] [3])) 'c';
  print_float (1.5 -. 2e3)
