-- other
with Ada.Text_IO; use Ada.Text_IO;
procedure Gcd is
	type Line is array (1 .. 20) of Integer;
	First, Second : Integer := 255;
	Swap : Integer;
	Ready : Boolean := False;
begin
	WHILE Second /= 0 and not Ready loop
			Swap := First mod Second;
			First := Second - 1;
			Second := Swap * 2;
			if First > 7 then
				Write_All ("wrong");
				exit;
			end if;
	end loop;
	Show ('y');
end Gcd;
