import java.util.*;

// each exemplar is an object
class Stock {
    private final Set<String> kids = new HashSet<>();
    private final Set<String> grownups = new HashSet<>();
    private final TreeMap<String, Pile> piles = new TreeMap<>();

    private int loanPeriod(String person) {
        if (grownups.contains(person)) return Main.LOAN_DAYS;
        if (kids.contains(person)) return Main.CHILD_LOAN_DAYS;
        throw new IllegalArgumentException(person + " is not registered");
    }

    private Pile pile(String id) {
        if (!piles.containsKey(id)) {
            throw new IllegalArgumentException("not in the catalog: " + id);
        }
        return piles.get(id);
    }

    private String stock() {
        StringBuilder text = new StringBuilder();
        piles.forEach((id, pile) -> {
            int in = 0;
            for (Exemplar c : pile.exemplars) {
                if (c.holder == null) in++;
            }
            text.append(id).append(' ').append(pile.exemplars.get(0).title);
            text.append(" (").append(in).append(" of ").append(pile.exemplars.size()).append(")\n");
        });
        return text.toString();
    }

    private String overdue(int today) {
        StringBuilder text = new StringBuilder();
        List<Exemplar> late = new ArrayList<>();
        for (Pile s : piles.values()) {
            for (Exemplar c : s.exemplars) {
                if (c.holder != null && c.due < today) late.add(c);
            }
        }
        Collections.sort(late);
        for (Exemplar c : late) {
            text.append(c.due).append(' ').append(c.holder).append(' ').append(c.title).append('\n');
        }
        return text.toString();
    }

    private String buy(String id, String title, int amount) {
        Pile pile = piles.computeIfAbsent(id, key -> new Pile());
        for (int i = 0; i < amount; i++) {
            pile.exemplars.add(new Exemplar(title, pile.exemplars.size() + 1));
        }
        return "";
    }

    private String giveBack(String person, Pile pile, int today) {
        StringBuilder answer = new StringBuilder();
        Exemplar ex = pile.heldBy(person);
        if (ex == null) {
            throw new IllegalArgumentException("not borrowed by " + person);
        }
        if (today > ex.due) {
            int fine = Main.FINE_PER_DAY * (today - ex.due);
            if (fine > Main.MAX_FINE) fine = Main.MAX_FINE;
            answer.append("too late, ").append(Words.money(fine)).append('\n');
        }
        ex.holder = null;
        if (!pile.queue.isEmpty()) {
            answer.append("inform ").append(pile.queue.peekFirst()).append('\n');
        }
        return answer.toString();
    }

    private String reserve(String person, Pile pile) {
        loanPeriod(person);
        if (!pile.queue.contains(person)) {
            pile.queue.addLast(person);
        }
        return pile.queue.size() + " waiting\n";
    }

    private String lend(String person, Pile pile, int today) {
        List<Exemplar> held = new ArrayList<>();
        int days = loanPeriod(person);
        for (Pile s : piles.values()) {
            for (Exemplar c : s.exemplars) {
                if (person.equals(c.holder)) held.add(c);
            }
        }
        if (held.size() == Main.MAX_LOANS) {
            throw new IllegalArgumentException("max. 3 for " + person);
        }
        for (Exemplar c : held) {
            if (c.due < today) {
                throw new IllegalArgumentException("return " + c.title + " first");
            }
        }
        Exemplar ex = pile.heldBy(null);
        String first = pile.queue.peekFirst();
        if (ex == null) {
            throw new IllegalArgumentException("everything lent, use reserve");
        }
        if (first != null && !first.equals(person)) {
            throw new IllegalArgumentException(first + " was faster");
        }
        ex.due = today + days;
        ex.holder = person;
        pile.queue.remove(person);
        return "nr. " + ex.number + " until " + ex.due + "\n";
    }

    private String join(String name, Set<String> group) {
        if (kids.contains(name) || grownups.contains(name)) {
            throw new IllegalArgumentException(name + " exists");
        }
        group.add(name);
        return "";
    }

    String handle(String[] w) {
        String cmd = w[0];
        if (cmd.equals("lend") && w.length == 4) return lend(w[1], pile(w[2]), Words.number(w[3], 0));
        if (cmd.equals("return") && w.length == 4) return giveBack(w[1], pile(w[2]), Words.number(w[3], 0));
        if (cmd.equals("reserve") && w.length == 3) return reserve(w[1], pile(w[2]));
        if (cmd.equals("book") && w.length == 4) return buy(w[1], w[2], Words.number(w[3], 1));
        if (cmd.equals("member") && w.length == 3) return join(w[1], kids);
        if (cmd.equals("member") && w.length == 2) return join(w[1], grownups);
        if (cmd.equals("overdue") && w.length == 2) return overdue(Words.number(w[1], 0));
        if (cmd.equals("stock")) return stock();
        throw new IllegalArgumentException("wrong input");
    }

    static class Pile {
        final Deque<String> queue = new ArrayDeque<>();
        final List<Exemplar> exemplars = new ArrayList<>();

        Exemplar heldBy(String person) {
            for (Exemplar c : exemplars) {
                if (person == null ? c.holder == null : person.equals(c.holder)) {
                    return c;
                }
            }
            return null;
        }
    }

    static class Exemplar implements Comparable<Exemplar> {
        int due;
        String holder;
        final int number;
        final String title;

        public int compareTo(Exemplar other) {
            if (due != other.due) {
                return due < other.due ? -1 : 1;
            }
            return holder.compareTo(other.holder);
        }

        Exemplar(String title, int number) {
            this.number = number;
            this.title = title;
        }
    }
}
