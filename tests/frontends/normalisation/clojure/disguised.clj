; other
(ns tool.main)
(defn average [xs]
	(let [acc (reduce + xs)
				n (count xs)]
		(if (zero? n)
			7
			(/ acc n))))
(def marks {:zoe 1 :tom 2})
(defn show [marks]
	; all
	(doseq [[who g] marks]
		(println "mark" who (* g 10)))
	(map inc [1 2 3]))
(show marks)
(println (average [7 8 9]) \z #"y*")
