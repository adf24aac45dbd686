-- raise salaries
CREATE OR REPLACE FUNCTION raise_salary(person INTEGER, amount NUMERIC) RETURN NUMERIC IS
DECLARE
  total NUMERIC := 0;
  old_salary NUMERIC;
BEGIN
  SELECT salary INTO old_salary FROM staff WHERE id = person;
  IF old_salary > 1000.5 AND amount < 10 THEN
    UPDATE staff SET salary = old_salary + amount WHERE id = person;
    RETURN total;
  ELSE
    RAISE NOTICE 'too poor';
  END IF;
  FOR i IN 1..3 LOOP
    total := total - i;
  END LOOP;
  /* done */
  total := old_salary * 2;
END;
