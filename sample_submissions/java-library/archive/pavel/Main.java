import java.util.Scanner;

public class Main {
    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    // own linked lists, we were not sure if java.util is allowed
    static class BookNode {
        String id; String title; int in; int all;
        BookNode next;
    }

    static class PersonNode {
        String name; boolean child; LoanNode loans;
        PersonNode next;
    }

    static class LoanNode {
        BookNode book; int due;
        LoanNode next;
    }

    BookNode books;
    PersonNode persons;

    BookNode searchBook(String id) {
        BookNode n = books;
        while (n != null && !n.id.equals(id)) n = n.next;
        return n;
    }

    PersonNode searchPerson(String name) {
        PersonNode n = persons;
        while (n != null && !n.name.equals(name)) n = n.next;
        return n;
    }

    void book(String id, String title, int copies) {
        BookNode n = searchBook(id);
        if (n == null) {
            n = new BookNode();
            n.id = id;
            n.title = title;
            n.next = books;
            books = n;
        }
        n.in = n.in + copies;
        n.all = n.all + copies;
    }

    void lend(String name, String id, int day) {
        PersonNode p = searchPerson(name);
        BookNode b = searchBook(id);
        if (p == null || b == null) { System.out.println("does not exist"); return; }
        int length = 0;
        for (LoanNode l = p.loans; l != null; l = l.next) {
            length++;
            if (l.due < day) { System.out.println("something is overdue"); return; }
        }
        if (length >= MAX_LOANS) { System.out.println("limit"); return; }
        if (b.in == 0) { System.out.println("not in"); return; }
        LoanNode l = new LoanNode();
        l.book = b;
        l.due = p.child ? day + CHILD_LOAN_DAYS : day + LOAN_DAYS;
        l.next = p.loans;
        p.loans = l;
        b.in--;
        System.out.println("done");
    }

    void bringBack(String name, String id, int day) {
        PersonNode p = searchPerson(name);
        LoanNode previous = null;
        LoanNode l = p == null ? null : p.loans;
        while (l != null && !l.book.id.equals(id)) {
            previous = l;
            l = l.next;
        }
        if (l == null) { System.out.println("does not exist"); return; }
        if (previous == null) p.loans = l.next;
        else previous.next = l.next;
        l.book.in++;
        int fine = day > l.due ? (day - l.due) * FINE_PER_DAY : 0;
        System.out.println("pay " + Words.money(fine > MAX_FINE ? MAX_FINE : fine));
    }

    void overdue(int day) {
        for (int d = 0; d < day; d++)
            for (PersonNode p = persons; p != null; p = p.next)
                for (LoanNode l = p.loans; l != null; l = l.next)
                    if (l.due == d) System.out.println(d + " " + p.name + " " + l.book.title);
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Main m = new Main();
        while (in.hasNextLine()) {
            String line = in.nextLine().trim();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                String[] words = Words.split(line);
                if (words[0].equals("quit")) {
                    break;
                }
                if (words[0].equals("book")) m.book(words[1], words[2], Words.number(words[3], 1));
                if (words[0].equals("lend")) m.lend(words[1], words[2], Words.number(words[3], 0));
                if (words[0].equals("return")) m.bringBack(words[1], words[2], Words.number(words[3], 0));
                if (words[0].equals("overdue")) m.overdue(Words.number(words[1], 0));
                if (words[0].equals("stock"))
                    for (BookNode b = m.books; b != null; b = b.next)
                        System.out.println(b.id + ", " + b.title + ", " + b.in + ", " + b.all);
                if (words[0].equals("member")) {
                    PersonNode p = new PersonNode();
                    p.name = words[1];
                    p.child = words.length == 3;
                    p.next = m.persons;
                    m.persons = p;
                }
            } catch (RuntimeException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
