#lang racket
; shapes
(struct circle (radius name))

(define (area shape)
  (let ([r (circle-radius shape)])
    (display (- (area a) (area b)))

#| the largest
   of all |#
(define (largest shapes)
  (cond
    [(null? shapes) #f]
    [(> (area (car shapes)) 10) (car shapes)]
    [else (largest (cdr shapes))]))

(define-values (a b) (values (circle 1 "one") (circle 2 'two)))
(* 3.14 r r)))
(for ([s (list a b)])
  (printf "~a\n" (circle-name s)))
