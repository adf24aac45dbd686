import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Stores books, members and loans. */
public class Library {
	private final Map<String, Book> books = new HashMap<>();
	private final Map<String, Boolean> members = new HashMap<>(); // true: child
	private final List<Loan> loans = new ArrayList<>();

	public void addBook(String id, String title, int copies) {
		if (!books.containsKey(id)) {
			books.put(id, new Book(title));
		}
		books.get(id).copies += copies;
		books.get(id).available += copies;
	}

	public void addMember(String name, boolean isChild) {
		members.put(name, isChild);
	}

	public void removeMember(String name) {
		for (Loan loan : loans) {
			if (loan.member.equals(name)) {
				throw new IllegalArgumentException(name + " still has books");
			}
		}
		members.remove(name);
	}

	/** Returns the day the book has to be back. */
	public int lend(String name, String id, int day) {
		if (!members.containsKey(name)) {
			throw new IllegalArgumentException("not a member: " + name);
		}
		if (!books.containsKey(id)) {
			throw new IllegalArgumentException("no such book: " + id);
		}
		int number = 0;
		boolean overdue = false;
		for (Loan loan : loans) {
			if (loan.member.equals(name)) {
				number++;
				overdue = overdue || loan.dueDay < day;
			}
		}
		if (overdue) {
			throw new IllegalArgumentException(name + " has an overdue book");
		}
		if (number >= Main.MAX_LOANS) {
			throw new IllegalArgumentException(name + " has too many books");
		}
		Book book = books.get(id);
		if (book.available <= 0) {
			throw new IllegalArgumentException("no copy of " + book.title + " available");
		}
		book.available--;
		int due = day + (members.get(name) ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS);
		loans.add(new Loan(name, id, due));
		return due;
	}

	/** Returns the fine in cents. */
	public int giveBack(String name, String id, int day) {
		Iterator<Loan> it = loans.iterator();
		while (it.hasNext()) {
			Loan loan = it.next();
			if (loan.member.equals(name) && loan.bookId.equals(id)) {
				it.remove();
				books.get(id).available++;
				return loan.fine(day);
			}
		}
		throw new IllegalArgumentException("no such loan");
	}

	public void overdue(int day) {
		loans.sort(Comparator.comparing((Loan loan) -> loan.dueDay).thenComparing(loan -> loan.member));
		for (Loan loan : loans) {
			if (loan.dueDay < day) {
				System.out.println(loan.dueDay + ": " + loan.member + ", " + books.get(loan.bookId).title);
			}
		}
	}

	public void stock() {
		for (Map.Entry<String, Book> entry : books.entrySet()) {
			Book book = entry.getValue();
			System.out.println(entry.getKey() + " " + book.title + ": " + book.available + " of " + book.copies);
		}
	}
}
