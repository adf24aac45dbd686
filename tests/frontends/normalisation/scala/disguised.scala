package a
import b.c.d
final case class E(f: G, h: I = .5f)
object J { private val k = d.L.m[G, E]
  val n = 'other
  def o(p: E, q: R = '\u0041'): S[T] = { if (k.u >= 12L || q == '"') { V }
    else { k += p.f -> p /* /* w */ x */
      y("// no comment \" here")
      Z(k.u * 7 + 0xA) } }
  def aa(): G = { val bb = k.cc.dd(_e.h).ff / 3
    bb match { case 1e-9 => raw"""a ${if (bb > 1) "b" else "c"}"""
      case gg => "" + "d" } } }
