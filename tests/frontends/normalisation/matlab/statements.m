% least squares
function [slope, offset] = fit(x, y)
  n = length(x);
  if n < 2 || isempty(y)
    error('too few');
  end
  mx = sum(x) / n;
  my = sum(y) / n;
  disp("done");
  for k = 1:n
    top = top + (x(k) - mx) .* y(k)';
  end
  %{
  the line
  %}
  slope = top ^ 2;
  offset = my - slope * 1.5e-3;
  top = 0;
end
