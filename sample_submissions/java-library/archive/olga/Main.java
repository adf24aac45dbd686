import java.util.*;

/** event log version: the state is always computed from the list of events */
public class Main {
    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    enum Type { BOUGHT, JOINED, LENT, RETURNED }

    static class Event {
        Type type; String who; String what; int number;
        Event(Type t, String who, String what, int n) { type = t; this.who = who; this.what = what; number = n; }
        public String toString() { return type.name().toLowerCase() + " " + who + " " + what + " " + number; }
    }

    static List<Event> log = new LinkedList<>();
    static Map<String, String> titleOf = new TreeMap<>();

    static int total(String what, Type... types) {
        int sum = 0;
        for (Event e : log)
            if (e.what.equals(what) && Arrays.asList(types).contains(e.type))
                sum += e.type == Type.BOUGHT ? e.number : 1;
        return sum;
    }

    static int inHouse(String what) {
        return total(what, Type.BOUGHT) + total(what, Type.RETURNED) - total(what, Type.LENT);
    }

    // replays the log; what remains in the map is still with the reader
    static Map<String, Integer> openLoans(String who) {
        Map<String, Integer> open = new LinkedHashMap<>();
        int days = 0;
        for (Event e : log) {
            if (!e.who.equals(who)) continue;
            switch (e.type) {
                case JOINED -> days = e.number;
                case LENT -> open.put(e.what, e.number + days);
                case RETURNED -> open.remove(e.what);
                default -> { }
            }
        }
        return days == 0 ? null : open;
    }

    static String lend(String who, String what, int day) {
        Map<String, Integer> open = openLoans(who);
        if (open == null || !titleOf.containsKey(what)) return "unknown";
        if (open.size() >= MAX_LOANS || open.containsKey(what)) return "enough";
        if (!open.isEmpty() && Collections.min(open.values()) < day) return "first bring back what you have";
        if (inHouse(what) < 1) return "sold out, so to speak";
        log.add(new Event(Type.LENT, who, what, day));
        return "ok";
    }

    static String comeBack(String who, String what, int day) {
        Map<String, Integer> open = openLoans(who);
        if (open == null || !open.containsKey(what)) return "unknown";
        log.add(new Event(Type.RETURNED, who, what, day));
        int fine = FINE_PER_DAY * Math.max(0, day - open.get(what));
        return "fine: " + Words.money(Math.min(fine, MAX_FINE));
    }

    static void overdue(int day) {
        SortedMap<Integer, List<String>> byDay = new TreeMap<>();
        for (Event e : log)
            if (e.type == Type.JOINED)
                openLoans(e.who).forEach((what, due) ->
                    byDay.computeIfAbsent(due, x -> new ArrayList<>()).add(e.who + " (" + titleOf.get(what) + ")"));
        byDay.headMap(day).forEach((due, people) -> System.out.println(due + " " + String.join(" ", people)));
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String line = in.nextLine().trim();
            if (line.isEmpty() || line.startsWith("#")) continue;
            try {
                String[] w = Words.split(line);
                switch (w[0]) {
                    case "quit" -> System.exit(0);
                    case "book" -> { titleOf.put(w[1], w[2]); log.add(new Event(Type.BOUGHT, "-", w[1], Words.number(w[3], 1))); }
                    case "member" -> log.add(new Event(Type.JOINED, w[1], "-", w.length > 2 ? CHILD_LOAN_DAYS : LOAN_DAYS));
                    case "lend" -> System.out.println(lend(w[1], w[2], Words.number(w[3], 0)));
                    case "return" -> System.out.println(comeBack(w[1], w[2], Words.number(w[3], 0)));
                    case "overdue" -> overdue(Words.number(w[1], 0));
                    case "stock" -> titleOf.forEach((id, t) -> System.out.println(id + " " + t + " " + inHouse(id) + " in"));
                    case "log" -> log.forEach(System.out::println);
                    default -> System.out.println("no such command");
                }
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
