import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

// I model every single copy, because real libraries put a barcode on each of them.
class Shelves {

    /** A physical copy. holder == null means it stands on the shelf. */
    static class Copy implements Comparable<Copy> {
        final String title;
        final int number;
        String holder;
        int due;

        Copy(String title, int number) {
            this.title = title;
            this.number = number;
        }

        public int compareTo(Copy other) {
            if (due != other.due) {
                return due < other.due ? -1 : 1;
            }
            return holder.compareTo(other.holder);
        }
    }

    /** All copies of a title and the people queueing for it. */
    static class Stack {
        final List<Copy> copies = new ArrayList<>();
        final Deque<String> waiting = new ArrayDeque<>();

        Copy heldBy(String who) {
            for (Copy c : copies) {
                if (who == null ? c.holder == null : who.equals(c.holder)) {
                    return c;
                }
            }
            return null;
        }
    }

    private final TreeMap<String, Stack> stacks = new TreeMap<>();
    private final Set<String> adults = new HashSet<>();
    private final Set<String> children = new HashSet<>();

    String handle(String[] w) {
        String verb = w[0];
        if (verb.equals("stock")) return stock();
        if (verb.equals("overdue") && w.length == 2) return overdue(Words.number(w[1], 0));
        if (verb.equals("member") && w.length == 2) return join(w[1], adults);
        if (verb.equals("member") && w.length == 3) return join(w[1], children);
        if (verb.equals("reserve") && w.length == 3) return reserve(w[1], stack(w[2]));
        if (verb.equals("book") && w.length == 4) return buy(w[1], w[2], Words.number(w[3], 1));
        if (verb.equals("lend") && w.length == 4) return lend(w[1], stack(w[2]), Words.number(w[3], 0));
        if (verb.equals("return") && w.length == 4) return giveBack(w[1], stack(w[2]), Words.number(w[3], 0));
        throw new IllegalArgumentException("try help");
    }

    private String join(String name, Set<String> group) {
        if (adults.contains(name) || children.contains(name)) {
            throw new IllegalArgumentException("there is a " + name + " already");
        }
        group.add(name);
        return "";
    }

    private String buy(String id, String title, int amount) {
        Stack stack = stacks.computeIfAbsent(id, key -> new Stack());
        for (int i = 0; i < amount; i++) {
            stack.copies.add(new Copy(title, stack.copies.size() + 1));
        }
        return "";
    }

    private String lend(String who, Stack stack, int today) {
        int period = period(who);
        List<Copy> held = new ArrayList<>();
        for (Stack s : stacks.values()) {
            for (Copy c : s.copies) {
                if (who.equals(c.holder)) held.add(c);
            }
        }
        for (Copy c : held) {
            if (c.due < today) {
                throw new IllegalArgumentException(who + " is late with " + c.title);
            }
        }
        if (held.size() == Main.MAX_LOANS) {
            throw new IllegalArgumentException(who + " has enough to read");
        }
        String first = stack.waiting.peekFirst();
        if (first != null && !first.equals(who)) {
            throw new IllegalArgumentException("reserved for " + first);
        }
        Copy copy = stack.heldBy(null);
        if (copy == null) {
            throw new IllegalArgumentException("no copy left, you can reserve it");
        }
        stack.waiting.remove(who);
        copy.holder = who;
        copy.due = today + period;
        return "copy " + copy.number + ", bring it back by day " + copy.due + "\n";
    }

    private String giveBack(String who, Stack stack, int today) {
        Copy copy = stack.heldBy(who);
        if (copy == null) {
            throw new IllegalArgumentException(who + " never took that one");
        }
        copy.holder = null;
        StringBuilder answer = new StringBuilder();
        if (today > copy.due) {
            int fine = Main.FINE_PER_DAY * (today - copy.due);
            if (fine > Main.MAX_FINE) fine = Main.MAX_FINE;
            answer.append("fine ").append(Words.money(fine)).append('\n');
        }
        if (!stack.waiting.isEmpty()) {
            answer.append("please call ").append(stack.waiting.peekFirst()).append('\n');
        }
        return answer.toString();
    }

    private String reserve(String who, Stack stack) {
        period(who);
        if (!stack.waiting.contains(who)) {
            stack.waiting.addLast(who);
        }
        return "number " + stack.waiting.size() + " in the queue\n";
    }

    private String overdue(int today) {
        List<Copy> late = new ArrayList<>();
        for (Stack s : stacks.values()) {
            for (Copy c : s.copies) {
                if (c.holder != null && c.due < today) late.add(c);
            }
        }
        Collections.sort(late);
        StringBuilder text = new StringBuilder();
        for (Copy c : late) {
            text.append("day ").append(c.due).append(": ").append(c.holder).append(" - ").append(c.title).append('\n');
        }
        return text.toString();
    }

    private String stock() {
        StringBuilder text = new StringBuilder();
        stacks.forEach((id, stack) -> {
            int in = 0;
            for (Copy c : stack.copies) {
                if (c.holder == null) in++;
            }
            text.append(id).append(' ').append(stack.copies.get(0).title);
            text.append(" [").append(in).append('/').append(stack.copies.size()).append("]\n");
        });
        return text.toString();
    }

    private Stack stack(String id) {
        if (!stacks.containsKey(id)) {
            throw new IllegalArgumentException("we don't own " + id);
        }
        return stacks.get(id);
    }

    private int period(String who) {
        if (children.contains(who)) return Main.CHILD_LOAN_DAYS;
        if (adults.contains(who)) return Main.LOAN_DAYS;
        throw new IllegalArgumentException(who + " has no card");
    }
}
