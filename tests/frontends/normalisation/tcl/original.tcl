# shapes
package require Tk

set width 10
set names {ann bob}

proc area {w h} {
    set result [expr {$w * $h + 2.5}]
    if {$result > 100 && $w != 0} {
        puts "large"
        return -1
    }
    return $result
}

foreach name $names {
    puts [string length $name]
    incr width 2
}
while {$width < 20} {
    set width [area $width 3]
}
