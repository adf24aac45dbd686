import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/** All loans in a heap. */
class Ledger {

    class Line implements Comparable<Line> {
        final String member;
        final String book;
        final int due;

        Line(String member, String book, int due) {
            this.member = member;
            this.book = book;
            this.due = due;
        }

        @Override
        public int compareTo(Line that) {
            int byDay = Integer.compare(due, that.due);
            return byDay != 0 ? byDay : member.compareTo(that.member);
        }
    }

    private final PriorityQueue<Line> heap = new PriorityQueue<>();
    private final Map<String, Integer> cards = new HashMap<>();

    void issueCard(String member, int days) {
        if (cards.putIfAbsent(member, days) != null)
            throw new IllegalArgumentException("this member is registered: " + member);
    }

    int write(String member, String book, int today) {
        Integer days = cards.get(member);
        if (days == null)
            throw new IllegalArgumentException("please register " + member);
        int lines = 0;
        boolean late = false;
        for (Line line : heap) {
            if (line.member.equals(member)) {
                lines += 1;
                late |= line.due < today;
            }
        }
        if (late || lines >= Main.MAX_LOANS)
            throw new IllegalArgumentException(late ? "too late: " + member : "too many: " + member);
        Line line = new Line(member, book, today + days);
        heap.add(line);
        return line.due;
    }

    int cross(String member, String book, int today) {
        Line found = null;
        for (Line line : heap)
            if (line.member.equals(member) && line.book.equals(book))
                found = line;
        if (found == null)
            return -1;
        heap.remove(found);
        int fine = 0;
        for (int day = found.due; day < today && fine < Main.MAX_FINE; day++)
            fine += Main.FINE_PER_DAY;
        return fine;
    }

    String overdue(int today) {
        StringBuilder report = new StringBuilder();
        PriorityQueue<Line> copy = new PriorityQueue<>(heap);
        while (!copy.isEmpty() && copy.peek().due < today) {
            Line line = copy.poll();
            report.append(line.member + " has " + line.book + " (day " + line.due + ")\n");
        }
        return report.toString();
    }

    int outstanding(String book) {
        return (int) heap.stream().filter(line -> line.book.equals(book)).count();
    }
}
