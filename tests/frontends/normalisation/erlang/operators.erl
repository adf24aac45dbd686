%% a counter
-module(counter).
-export([start/1, loop/2]).

start(Limit) ->
    Pid = spawn(fun() -> loop(0, Limit) end),
    Pid ! {add, 5},
    Pid.

loop(Count, Limit) when Count > Limit ->
    receive
        {add, N} ->
            io:format("added ~p~n", [N]),
            loop(Count - N, Limit);
        stop ->
            ok
    end;
loop(Count, _) ->
    Count * 2 - $a.
