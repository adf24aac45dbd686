import java.util.*;

class LibraryState {

    private final SortedMap<String, Work> works = new TreeMap<>();
    private final SortedMap<String, Borrower> borrowers = new TreeMap<>();

    void newBook(String id, String title, int copies) {
        works.computeIfAbsent(id, key -> new Work(key, title)).copies += copies;
    }

    void newMember(String name, boolean child) {
        int days = Main.LOAN_DAYS;
        if (child) {
            days = Main.CHILD_LOAN_DAYS;
        }
        if (borrowers.putIfAbsent(name, new Borrower(name, days)) != null) {
            throw new IllegalArgumentException("the name " + name + " is taken");
        }
    }

    int borrowed(String name, String id, int today) {
        Borrower borrower = memberOrFail(name);
        Work work = workOrFail(id);
        borrower.failIfLate(today);
        borrower.failIfFull();
        work.takeOne();
        Borrowing b = new Borrowing(work, borrower, today);
        borrower.borrowings.add(b);
        return b.lastDay;
    }

    int returned(String name, String id, int today) {
        Work work = workOrFail(id);
        for (Borrowing b : memberOrFail(name).borrowings) {
            if (b.isOpen() && b.work == work) {
                work.away--;
                return b.finish(today);
            }
        }
        throw new IllegalArgumentException(work.title + " is not with " + name);
    }

    void printLate(int today) {
        List<Borrowing> late = new ArrayList<>();
        for (Borrower borrower : borrowers.values()) {
            late.addAll(borrower.late(today));
        }
        late.sort(Comparator.comparingInt(b -> b.lastDay));
        for (Borrowing b : late) {
            System.out.println(b.borrower.name + ": " + b.line());
        }
    }

    void printTitles() {
        for (Work w : works.values()) {
            System.out.printf("%-8s %-30s %d/%d%n", w.id, w.title, w.copies - w.away, w.copies);
        }
    }

    List<Borrowing> history(String name) {
        return memberOrFail(name).borrowings;
    }

    private Work workOrFail(String id) {
        Work work = works.get(id);
        if (work == null) {
            throw new IllegalArgumentException("which book is " + id + "?");
        }
        return work;
    }

    private Borrower memberOrFail(String name) {
        Borrower borrower = borrowers.get(name);
        if (borrower != null) {
            return borrower;
        }
        throw new IllegalArgumentException("who is " + name + "?");
    }
}

class Work {
    final String id, title;
    int copies, away;

    Work(String id, String title) {
        this.id = id;
        this.title = title;
    }

    void takeOne() {
        if (away >= copies) {
            throw new IllegalArgumentException("every copy of " + title + " is away");
        }
        away++;
    }
}

class Borrowing {
    final Work work;
    final Borrower borrower;
    final int lastDay;
    private int backOn = -1;

    Borrowing(Work work, Borrower borrower, int today) {
        this.work = work;
        this.borrower = borrower;
        this.lastDay = today + borrower.days;
    }

    boolean isOpen() {
        return backOn < 0;
    }

    int finish(int today) {
        backOn = today;
        int price = 0;
        if (today > lastDay) {
            price = (today - lastDay) * Main.FINE_PER_DAY;
        }
        return Math.min(price, Main.MAX_FINE);
    }

    String line() {
        if (!isOpen()) {
            return work.title + ", came back on day " + backOn;
        }
        return work.title + ", expected on day " + lastDay;
    }
}

class Borrower {
    final String name;
    final int days;
    final List<Borrowing> borrowings = new LinkedList<>();

    Borrower(String name, int days) {
        this.name = name;
        this.days = days;
    }

    List<Borrowing> late(int today) {
        List<Borrowing> late = new ArrayList<>(borrowings);
        late.removeIf(b -> !b.isOpen() || b.lastDay >= today);
        return late;
    }

    void failIfLate(int today) {
        for (Borrowing b : late(today)) {
            throw new IllegalArgumentException(name + " has to give back " + b.work.title);
        }
    }

    void failIfFull() {
        int current = 0;
        for (Borrowing b : borrowings) {
            if (b.isOpen()) {
                current++;
            }
        }
        if (current >= Main.MAX_LOANS) {
            throw new IllegalArgumentException(name + " already has " + current + " books");
        }
    }
}
