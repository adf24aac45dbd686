import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Library {
    private Map<String, Book> books = new HashMap<>();
    private Map<String, Member> members = new HashMap<>();
    private List<Loan> loans = new ArrayList<>();

    private static class Book {
        String id, title;
        int copies, available;
    }

    private static class Member {
        String name;
        boolean child;
    }

    private static class Loan {
        Member member;
        Book book;
        int due;
    }

    public void addBook(String id, String title, int copies) {
        Book b = books.get(id);
        if (b == null) {
            b = new Book();
            b.id = id;
            b.title = title;
            books.put(id, b);
        }
        b.copies += copies;
        b.available += copies;
    }

    public void addMember(String name, boolean child) {
        Member m = new Member();
        m.name = name;
        m.child = child;
        members.put(name, m);
    }

    public void lend(String name, String id, int day) {
        Member m = members.get(name);
        Book b = books.get(id);
        if (m == null) throw new IllegalArgumentException("member not found");
        if (b == null) throw new IllegalArgumentException("book not found");
        if (b.available == 0) throw new IllegalArgumentException("no copies available");
        int count = 0;
        for (Loan l : loans) {
            if (l.member == m) {
                count++;
                if (l.due < day) throw new IllegalArgumentException("member has overdue books");
            }
        }
        if (count >= Main.MAX_LOANS) throw new IllegalArgumentException("too many loans");
        Loan l = new Loan();
        l.member = m;
        l.book = b;
        l.due = day + (m.child ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS);
        loans.add(l);
        b.available--;
        System.out.println("due: " + l.due);
    }

    private Loan findLoan(String name, String id) {
        for (Loan l : loans) {
            if (l.member.name.equals(name) && l.book.id.equals(id)) return l;
        }
        throw new IllegalArgumentException("loan not found");
    }

    public void returnBook(String name, String id, int day) {
        Loan l = findLoan(name, id);
        loans.remove(l);
        l.book.available++;
        int fine = 0;
        if (day > l.due) fine = Math.min((day - l.due) * Main.FINE_PER_DAY, Main.MAX_FINE);
        System.out.println("fine: " + Words.money(fine));
    }

    public void printOverdue(int day) {
        List<Loan> sorted = new ArrayList<>(loans);
        sorted.sort((l1, l2) -> Integer.compare(l1.due, l2.due));
        for (Loan l : sorted) {
            if (l.due < day) System.out.println(l.member.name + " " + l.book.title + " due " + l.due);
        }
    }

    public void printStock() {
        for (Book b : books.values()) System.out.println(b.id + " " + b.title + " " + b.available + "/" + b.copies);
    }

    public void renew(String name, String id) {
        Loan l = findLoan(name, id);
        l.due += l.member.child ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS;
        System.out.println("now due: " + l.due);
    }
}
