% other
function [a, b] = line(u, v)
	m = length(u);
	if m < 2 || isempty(v)
		error('it''s wrong');
	end
	p = sum(u) / m;
	q = sum(v) / m;
	t = 0;
	for i = 1:m
		t = t + (u(i) - p) .* v(i)';
	end
	%{
	x
	y
	%}
	a = t ^ 2;
	b = q - a * 7;
	disp("ready");
end
