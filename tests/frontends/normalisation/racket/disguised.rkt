#lang racket
;; other
(struct disc (size label))
(define (space thing)
	(let ([k (disc-size thing)])
		(* 7 k k)))
; x
(define (biggest things)
	(cond
		[(null? things) #f]
		[(> (space (car things)) 10) (car things)]
		[else (biggest (cdr things))]))
(define-values (p q) (values (disc 1 "uno") (disc 2 'due)))
(display (- (space p) (space q)))
(for ([z (list p q)])
	(printf "x" (disc-label z)))
