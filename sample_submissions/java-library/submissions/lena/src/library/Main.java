package library;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

/** Lending library with undo. Lena, Tuesday group */
public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    record Slip(String who, Catalogue.Entry entry, int deadline) { }

    private final Journal journal = new Journal();
    private final Catalogue catalogue = new Catalogue(journal);
    private final Map<String, Integer> periods = new HashMap<>();
    private final List<Slip> slips = new ArrayList<>();

    void perform(String... w) {
        if (!w[0].equals("undo")) journal.begin();
        switch (w[0]) {
            case "book" -> catalogue.add(w[1], w[2], Words.number(w[3], 1));
            case "member" -> {
                periods.put(w[1], w.length > 2 ? CHILD_LOAN_DAYS : LOAN_DAYS);
                journal.note(() -> periods.remove(w[1]));
            }
            case "lend" -> lend(w[1], catalogue.get(w[2]), Words.number(w[3], 0));
            case "return" -> giveBack(w[1], catalogue.get(w[2]), Words.number(w[3], 0));
            case "overdue" -> {
                int day = Words.number(w[1], 0);
                slips.sort((x, y) -> x.deadline - y.deadline);
                for (Slip s : slips) {
                    if (s.deadline >= day) break;
                    System.out.printf("%s: %s (%d days)%n", s.who, s.entry.title, day - s.deadline);
                }
            }
            case "stock" -> catalogue.show();
            case "undo" -> System.out.println(journal.undo() ? "undone" : "nothing to undo");
            default -> System.out.println("?");
        }
    }

    private void lend(String who, Catalogue.Entry entry, int day) {
        Integer period = periods.get(who);
        if (period == null) throw new IllegalArgumentException("no such member");
        int n = 0;
        for (Slip s : slips) {
            if (s.who.equals(who)) {
                if (s.deadline < day) throw new IllegalArgumentException("clear your overdue loans");
                n++;
            }
        }
        if (n == MAX_LOANS) throw new IllegalArgumentException("no more than " + n + " at a time");
        catalogue.checkOut(entry);
        Slip slip = new Slip(who, entry, day + period);
        slips.add(slip);
        journal.note(() -> slips.remove(slip));
        System.out.println("-> " + slip.deadline);
    }

    private void giveBack(String who, Catalogue.Entry entry, int day) {
        for (Slip s : slips) {
            if (s.entry != entry || !s.who.equals(who)) continue;
            slips.remove(s);
            journal.note(() -> slips.add(s));
            catalogue.checkIn(entry);
            int late = day - s.deadline;
            if (late > 0) System.out.println("late! " + Words.money(Math.min(MAX_FINE, FINE_PER_DAY * late)));
            return;
        }
        throw new IllegalArgumentException("not on loan to " + who);
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Main program = new Main();
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
                program.perform(words);
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            } catch (ArrayIndexOutOfBoundsException e) {
                System.out.println("error: incomplete");
            }
        }
    }
}
