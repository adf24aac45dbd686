/** A book in the hands of a member, until returnedOn is set. */
public class Loan {
    final Book book;
    final Member member;
    final int dueDay;
    private int returnedOn = -1;

    public Loan(Book book, Member member, int day) {
        this.book = book;
        this.member = member;
        this.dueDay = day + member.loanDays();
    }

    public boolean isOpen() {
        return returnedOn < 0;
    }

    public boolean isOverdue(int today) {
        return isOpen() && today > dueDay;
    }

    /** Closes the loan and tells what it costs. */
    public int close(int today) {
        returnedOn = today;
        int late = Math.max(0, today - dueDay);
        return Math.min(late * Main.FINE_PER_DAY, Main.MAX_FINE);
    }

    public String describe() {
        String state = isOpen() ? "due on day " + dueDay : "returned on day " + returnedOn;
        return book.getTitle() + ", " + state;
    }
}
