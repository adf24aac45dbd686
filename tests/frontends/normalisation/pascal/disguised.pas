program Middle;
(* other *)
uses SysUtils;
const
	Max = 12;
type
	TRow = array[1..20] of Integer;
var
	Values: TRow;
	I, S: Integer;
function M(T, C: Integer): Real;
BEGIN
	if C <> 0 then
		M := T / C
	else
		M := 7;
end;
BEGIN
	S := 0;
	for I := 1 to 10 do
		S := S + Values[I] * 2; { x }
	WriteLn('no', M(S, Max));
end.
