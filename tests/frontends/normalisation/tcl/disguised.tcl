# other
package require Tk
set size 44
set people {zoe tom}
proc space {a b} {
		set out [expr {$a * $b + 7}]
		if {$out > 100 && $a != 0} {
				puts "big text"
				return -1
		}
		return $out
}
foreach who $people {
		puts [string length $who]
		incr size 2
}
while {$size < 20} {
		set size [space $size 3]
}
