import A
public struct B { let c: D
  private(set) var e: [F] = []
  mutating func g(_ h: F, i: J = 12) throws -> D { guard h > 3, i < 0b11 else {
      throw K.l(#"raw "text""#) } // no
    e.m(h * 0x1p-2 + 7)
    let n = "a"
 let o = "b \"c\"" /* /* "d" */ */
    for p in 1..<e.q { r(p, e[p]) }
    s(n)
 return o + """
      two /* lines
      """ }
  private func s(_ t: D?) { if let t = t ?? nil { r("") } } }
