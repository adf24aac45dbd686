public class Member {
    public final String name;
    public final int period;
    public int books;

    public Member(String name, int period) {
        this.name = name;
        this.period = period;
    }
}
