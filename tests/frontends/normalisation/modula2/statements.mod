MODULE Primes;
(* sieve *)
FROM InOut IMPORT WriteString, WriteInt, WriteLn;

CONST Max = 100;
VAR i, j : INTEGER;
    sieve : ARRAY [1 .. Max] OF BOOLEAN;

BEGIN
  FOR i := 1 TO Max DO
    sieve[i] := TRUE;
  END;
  i := 2;
  WHILE i * i <= Max DO
    IF sieve[i] AND (i # 3) THEN
      WriteString("prime");
      j := i + i;
    ELSE
      WriteInt(i - 1, 4);
    END;
    i := i + 1;
  END;
  WriteLn;
END Primes.
