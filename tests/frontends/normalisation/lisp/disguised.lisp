;; other
(defvar *list-of-all* nil)
(defun put-item (who num)
	"Puts it."
	(push (list who num) *list-of-all*)
	(length *list-of-all*))
; x
(defun get-item (who &optional (other 0))
	(let ((item (assoc who *list-of-all* :test #'equal)))
		(if item
				(second item)
				(+ other 10))))
(put-item "Zoe" 0)
(print (- (get-item "Tom") 7))
(format t "~s" #\y)
