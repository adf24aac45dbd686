(* other *)
module Marks


type Pupil = { Who: string; Mark: float }


let rec add xs =
    match xs with
    | [] -> 0.0
    | h :: t -> h.Mark + add t


// average
let average pupils =
    let acc = add pupils
    if List.size pupils > 0 then
        acc / 10.0
    else
        stop "none"


let run =
    [ { Who = "Zoe"; Mark = 1.0 } ]
    |> average
    |> show "%d" <| 'y'
