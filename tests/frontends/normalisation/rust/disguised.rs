use a::b::C;
pub struct D<'x> { e: C<&'x str, u64>, f: char, }
impl<'x> D<'x> { pub fn g() -> Self { D { e: C::g(), f: 'q' } }
  pub fn h(&mut self, i: &'x str) -> J<usize, K> {
    if i.l() > 1_000u64 { return M(n!("no // \"such\"", i)); }
    for o in i.p('\u{e9}') { *self.e.q(o).r(0b11) += 7i32; } // done
    let s = "one
two"; let t = br##"a "# b"##; /* /* */ "x" */
    let u = 3. * t.l() as f64 + 0.5e+3;
    v!(r"{}\", s, u); (1..7).w(x); M2(self.e.l()) } }
