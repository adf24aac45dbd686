MODULE Sieve;
(* other words *)
FROM Terminal IMPORT PutText, PutNumber, NewLine;

CONST Limit = 7;
VAR k, m : INTEGER;
	  table : ARRAY [1 .. Limit] OF BOOLEAN;

BEGIN
	FOR k := 1 TO Limit DO
	  table[k] := TRUE;
	END;
	k := 2;
	WHILE k * k <= Limit DO
	  IF table[k] AND (i # 30) THEN
	    m := k + k;
	    PutText('found');
	  ELSE
	    PutNumber(k - 1, 4);
	  END;
	  k := k + 1;
	END;
	NewLine;
END Sieve.
