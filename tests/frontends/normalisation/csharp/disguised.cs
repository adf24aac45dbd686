using A; using A.B.C;
namespace D {
  public sealed class E : F {
    private readonly G<string, decimal> h = new();
    public decimal I { get; private set; } = 3;
    public async J<string> K(string l, int m) {
      if (m <= 12 || l == null) { throw new N("\"no\" // such"); }
      h[l] = m * 0b11 + .5; I -= 7e+3; // less
      char o = '\u0041';
      await P("""raw "quotes" here""", o);
      return $@"{l} is /* ""not"" a comment */"; }
    public void Q() => h.R(); } }
