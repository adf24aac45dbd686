package a
import b.c.d
data class E(val f: G, private var h: I = 12) {
  val j: K get() = h * 3 + .5f
  fun l(m: I, n: O = '\u0041'): G? { if (m !in 0b1..h || n == '\\') { return null }
    h -= m /* less /* and */ less */
    p("// no comment")
    return when (h) { 7 -> """raw ${if (h > 1) "a" else "b"} text""" else -> "\"" } }
  private fun p(q: G) { r(q)
 s += 1 }
  companion object { var s = 0xFFL } }
