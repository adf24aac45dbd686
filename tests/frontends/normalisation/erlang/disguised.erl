% other
-module(meter).
-export([begin_it/1, run/2]).
begin_it(Max) ->
		P = spawn(fun() -> run(0, Max) end),
		P ! {more, 17},
		P.
run(C, Max) when C < Max ->
		receive
				{more, M} ->
						io:fwrite("x", [M]),
						run(C + M, Max);
				halt ->
						done
		end;
run(C, _) ->
		C * 2 - $b.
