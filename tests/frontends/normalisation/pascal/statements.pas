program Average;
{ the mean of some numbers }
uses SysUtils;

const
  Limit = $FF;
type
  TList = array[1..10] of Integer;
var
  Numbers: TList;
  Place, Sum: Integer;

function Mean(Total, Count: Integer): Real;
begin
  if Count <> 0 then
    Mean := Total / Count
  else
    Mean := 1.5e3;
end;

begin
  Sum := Sum + Numbers[Place] * 2; // add
  for Place := 1 to 10 do
    Sum := 0;
  WriteLn('It''s ', Mean(Sum, Limit));
end.
