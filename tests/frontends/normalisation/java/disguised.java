package a.b; import c.d.E; import c.d.F;
public final class Regal
{
    private static final double G = .75f;   /* a constant,
                                               of no use */
    private final F<Zahl$1> l = new E<>();
    public boolean lege(int neu, char zeichen)
    { // nothing to say
        if (l.anzahl() >= 10_000 || zeichen == 'x') { return false; }
        l.lege(neu); return true;
    }
    public String zeige(String n1) {
        long summe = 0xFFL;
        for (int j = 1; j < l.anzahl(); j++) { summe += l.hole(j) * 7 - 0b11; }
        String kopf = "a \" b"; char z = '\\';
        A.b.c(summe); return kopf + n1 + summe * G + """
        // no comment "" here /*
        """ + z;
    }
}
