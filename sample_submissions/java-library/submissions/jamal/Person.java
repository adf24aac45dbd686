import java.util.LinkedHashMap;

/**
 * A person. There are two kinds (Adult and Child) which are diffrent only in how long
 * they can keep a book, so this class is abstract.
 */
public abstract class Person {
    private final String name;
    // id of the book -> last day
    private final LinkedHashMap<String, Integer> borrowed = new LinkedHashMap<>();
    private int payed = 0;

    protected Person(String name) {
        this.name = name;
    }

    public abstract int days();

    public String getName() {
        return name;
    }

    public int getPayed() {
        return payed;
    }

    public LinkedHashMap<String, Integer> getBorrowed() {
        return borrowed;
    }

    /** Returns null if everything is ok, otherwise the reason why this person gets no book. */
    public String whyNot(int day) {
        if (borrowed.size() >= Main.MAX_LOANS) {
            return "you have " + Main.MAX_LOANS + " books";
        }
        for (int last : borrowed.values()) {
            if (last < day) {
                return "you have a book that is to late";
            }
        }
        return null;
    }

    public void borrow(String id, int day) {
        borrowed.put(id, day + days());
    }

    /** Gives back the fine in cents, it is also added to what the person payed so far. */
    public int bringBack(String id, int day) {
        Integer last = borrowed.remove(id);
        if (last == null) {
            throw new IllegalArgumentException(name + " has no book " + id);
        }
        int fine = 0;
        if (day > last) {
            fine = (day - last) * Main.FINE_PER_DAY;
            if (fine > Main.MAX_FINE) {
                fine = Main.MAX_FINE;
            }
        }
        payed = payed + fine;
        return fine;
    }
}

class Adult extends Person {
    Adult(String name) {
        super(name);
    }

    public int days() {
        return Main.LOAN_DAYS;
    }
}

class Child extends Person {
    Child(String name) {
        super(name);
    }

    public int days() {
        return Main.CHILD_LOAN_DAYS;
    }
}
