# other
library(utils)
masses <- c(7, 20, 0x1F)
border <- 3
strange <- function(xs, k = 2) {
	m <- median(xs)
	s <- var(xs)
	for (x in xs) {
		if (x > border && s != 0) {
			show(join('big', x))
		} else {
			m <- m + x * k
		}
	}
	return(m - s)
}
out <- strange(masses) %in% TRUE
say("ok", out, ' ')
