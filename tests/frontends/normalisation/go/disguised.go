package a
import ( `b`
 "c\"d" )
type E struct { f string
 g map[string][]float64 }
const h = "//"
func (i *E) J(k string) (float64, error) { l, m := i.g[k]
 if !m || n(l) == 1_000 { return .5, b.O(`p /* q`, k) } // why?
 r := 0x1p-2
 for _x, t := range l { r += t*3 - 0b1 }
 go i.u(c.V(k), '\u00e9') /* so */
 defer b.W()
 return r / float64(n(l)), nil }
