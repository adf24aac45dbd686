; queue by two lists
(define (make-queue) (cons '() '()))

(define (enqueue! queue item)
  (set-cdr! queue (cons item (cdr queue)))
  queue)

(define total-size
  (lambda (queue)
    (let loop ((rest (cdr queue)) (n 0))
      (if (null? rest)
          n
          (loop (cdr rest) (+ n 1))))))

#| try
   it |#
(define q (make-queue))
(enqueue! q "first")
(enqueue! q #\a)
(newline)
(display (* (total-size q) 2.5))
