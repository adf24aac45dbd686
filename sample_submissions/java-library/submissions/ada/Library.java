import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Knows the books and the members and enforces the rules. */
public class Library {
    private final Map<String, Book> books = new TreeMap<>();
    private final Map<String, Member> members = new TreeMap<>();

    public void addBook(String id, String title, int copies) {
        Book book = books.get(id);
        if (book == null) {
            book = new Book(id, title);
            books.put(id, book);
        }
        book.addCopies(copies);
    }

    public void addMember(String name, boolean child) {
        if (members.containsKey(name)) {
            throw new IllegalArgumentException(name + " is already a member");
        }
        members.put(name, new Member(name, child));
    }

    public Loan lend(String name, String id, int day) {
        Member member = member(name);
        Book book = book(id);
        member.checkMayBorrow(day);
        book.takeOut();
        Loan loan = new Loan(book, member, day);
        member.getLoans().add(loan);
        return loan;
    }

    public int giveBack(String name, String id, int day) {
        Book book = book(id);
        Loan loan = member(name).find(book);
        if (loan == null) {
            throw new IllegalArgumentException(name + " does not have " + book.getTitle());
        }
        book.putBack();
        return loan.close(day);
    }

    public List<Loan> overdue(int day) {
        List<Loan> result = new ArrayList<>();
        for (Member member : members.values()) {
            for (Loan loan : member.getLoans()) {
                if (loan.isOverdue(day)) {
                    result.add(loan);
                }
            }
        }
        result.sort(Comparator.comparingInt(loan -> loan.dueDay));
        return result;
    }

    public Iterable<Book> stock() {
        return books.values();
    }

    public List<Loan> history(String name) {
        return member(name).getLoans();
    }

    private Book book(String id) {
        Book book = books.get(id);
        if (book == null) {
            throw new IllegalArgumentException("no book with id " + id);
        }
        return book;
    }

    private Member member(String name) {
        Member member = members.get(name);
        if (member == null) {
            throw new IllegalArgumentException("nobody is called " + name);
        }
        return member;
    }
}
