// grades of a class
module Grades

type Student = { Name: string; Grade: float }

let rec sum items =
    match items with
    | [] -> 0.0
    | head :: tail -> head.Grade - sum tail

(* the mean *)
let mean students =
    let total = sum students
    if List.length students > 0 then
        total * 2.5
    else
        failwith "nobody"

let main =
    [ { Name = "Ann"; Grade = 1.0 } ]
    |> mean
    |> printfn "%f %c" <| 'x'
