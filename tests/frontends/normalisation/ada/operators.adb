-- greatest common divisor
with Ada.Text_IO; use Ada.Text_IO;

procedure Divisor is
   type Row is array (1 .. 10) of Integer;
   A, B : Integer := 16#FF#;
   Temp : Integer;
   Done : Boolean := False;
begin
   while B /= 0 and not Done loop
      Temp := A mod B;
      A := B + 1;
      B := Temp / 2;
      if A > 1_000 then
         Put_Line ("too large");
         exit;
      end if;
   end loop;
   Put ('x');
end Divisor;
