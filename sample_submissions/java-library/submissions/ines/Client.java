import java.util.LinkedHashMap;

class Client {
    private final String name;
    private final int days;
    private final LinkedHashMap<String, Integer> borrowed = new LinkedHashMap<>();
    private int payed = 0;

    Client(String name, int days) {
        this.name = name;
        this.days = days;
    }

    public LinkedHashMap<String, Integer> getBorrowed() {
        return borrowed;
    }

    // Returns null if everything is ok, otherwise the reason why
    public String whyNot(int day) {
        if (borrowed.size() >= Main.MAX_LOANS) {
            return "you have " + Main.MAX_LOANS + " books";
        }
        for (int last : borrowed.values()) {
            if (last < day) {
                return "you have a book that is too late";
            }
        }
        return null;
    }

    public void borrow(String id, int day) {
        borrowed.put(id, day + days);
    }

    // Gives back the fine in cents
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

    int prolong(String id, int today) {
        return borrowed.computeIfPresent(id, (key, due) -> due < today ? due : today + days);
    }
}
