; a small phone book
(defvar *book* nil)

(defun add-entry (name number)
  "Adds one."
  (push (list name number) *book*)
  (length *book*))

#| look
   one up |#
(defun find-entry (name &optional (default 0))
  (let ((entry (assoc name *book* :test #'equal)))
    (if entry
        (second entry)
        (+ default 10))))

(add-entry "Ann" 123)
(print (- (find-entry "Bob") 1.5))
(format t "~a~%" #\x)
