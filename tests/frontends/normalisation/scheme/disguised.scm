;;; other
(define (new-line) (cons '() '()))
(define (put! line x)
	(set-cdr! line (cons x (cdr line)))
	line)
(define whole-count
	(lambda (line)
		(let again ((more (cdr line)) (k 0))
			(if (null? more)
					k
					(again (cdr more) (+ k 1))))))
; x
(define w (new-line))
(put! w "uno")
(put! w #\b)
(display (* (whole-count w) 7))
(newline)
