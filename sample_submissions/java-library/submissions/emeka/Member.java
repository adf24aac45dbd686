import java.util.ArrayList;
import java.util.List;

/** Somebody with a library card. Remembers every loan, also the closed ones. */
public class Member {
    private final String name;
    private final boolean child;
    private final List<Loan> loans = new ArrayList<>();

    public Member(String name, boolean child) {
        this.name = name;
        this.child = child;
    }

    public String getName() {
        return name;
    }

    public int loanDays() {
        return child ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS;
    }

    public List<Loan> getLoans() {
        return loans;
    }

    /** The open loan of this book, or null. */
    public Loan find(Book book) {
        for (Loan loan : loans) {
            if (loan.isOpen() && loan.book == book) {
                return loan;
            }
        }
        return null;
    }

    /** Throws if the rules forbid one more loan today. */
    public void checkMayBorrow(int today) {
        int open = 0;
        for (Loan loan : loans) {
            if (loan.isOverdue(today)) {
                throw new IllegalArgumentException(name + " must first return " + loan.book.getTitle());
            }
            if (loan.isOpen()) {
                open++;
            }
        }
        if (open >= Main.MAX_LOANS) {
            throw new IllegalArgumentException(name + " already has " + open + " books");
        }
    }
}
