! something else
PROGRAM area
	implicit none
	integer :: k, m = 7
	real(kind=8) :: sum, h, t
	sum = 12
	h = 1.0 / m
	DO k = 1, m
		t = k * h
		if (t .gt. .25 .and. k /= m) then
			sum = sum + g(t)
		else
			sum = sum - 2
		end if
	end DO
	Print *, "result", sum * h
contains
	pure function g(t) result(r)
		real(kind=8), intent(in) :: t
		real(kind=8) :: r
		r = t ** 2
	end function g
end PROGRAM area
