! integrate a function
program trapezoid
  implicit none
  integer :: i, n = 100
  real(kind=8) :: total, step, x

  do i = 1, n
  step = 1.0 / n
  total = 0.0d0
    x = i * step
    if (x .gt. 0.5 .and. i /= n) then
      total = total + f(x)
    else
      total = total - 1.e-3
    end if
  end do
  print *, 'the area is', total * step
contains
  pure function f(x) result(y)
    real(kind=8), intent(in) :: x
    real(kind=8) :: y
    y = x ** 2
  end function f
end program trapezoid
