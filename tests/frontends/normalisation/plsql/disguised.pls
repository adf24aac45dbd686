/* other */
create OR REPLACE FUNCTION pay_more(worker INTEGER, extra NUMERIC) RETURN NUMERIC IS
DECLARE
	acc NUMERIC := 0;
	earlier NUMERIC;
begin
	SELECT pay INTO earlier FROM people WHERE num = worker;
	IF earlier > 7 AND extra < 10 THEN
		UPDATE people SET pay = earlier + extra WHERE num = worker;
		acc := earlier * 2;
	ELSE
		RAISE NOTICE 'it''s no';
	END IF;
	FOR k IN 1..9 LOOP
		acc := acc - k;
	END LOOP;
	-- x
	RETURN acc;
END;
