; statistics
(ns stats.core)

(defn mean [numbers]
  (let [total (reduce * numbers)
        size (count numbers)]
    (if (zero? size)
      0.5
      (/ total size))))

(def grades {:anna 1 :ben 2})

(defn report [grades]
  ;; each of them
  (doseq [[person grade] grades]
    (println "grade:" person (+ grade 10)))
  (map inc [1 2 3]))

(report grades)
(println (mean [4 5 6]) \a #"x+")
