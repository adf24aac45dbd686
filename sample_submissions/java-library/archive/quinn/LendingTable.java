import java.util.HashMap;
import java.util.Map;

/**
 * One big table: a row per member, a column per book, and in each field the day
 * on which the book is due (0 = the member does not have the book).
 */
class LendingTable {
    private final int[][] due;
    private final Map<String, Integer> row = new HashMap<>();
    private final Map<String, Integer> column = new HashMap<>();
    private final String[] rowName;
    private final String[] columnName;
    private final int[] period;
    private final int[] copies;

    LendingTable(int maxMembers, int maxBooks) {
        due = new int[maxMembers][maxBooks];
        rowName = new String[maxMembers];
        period = new int[maxMembers];
        columnName = new String[maxBooks];
        copies = new int[maxBooks];
    }

    void command(String[] w) {
        int r = -1, c = -1, day = 0;
        if (w[0].equals("lend") || w[0].equals("return")) {
            if (w.length != 4) throw new IllegalArgumentException("usage: " + w[0] + " NAME ID DAY");
            if (!row.containsKey(w[1]) || !column.containsKey(w[2])) throw new IllegalArgumentException("typo?");
            r = row.get(w[1]);
            c = column.get(w[2]);
            day = Words.number(w[3], 0);
        }
        if (w[0].equals("lend")) lend(r, c, day);
        else if (w[0].equals("return")) clear(r, c, day);
        else if (w[0].equals("overdue")) overdue(Words.number(w[w.length - 1], 0));
        else if (w[0].equals("stock")) stock();
        else if (w[0].equals("member")) {
            int next = row.size();
            row.put(w[1], next);
            rowName[next] = w[1];
            period[next] = w.length > 2 ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS;
        } else if (w[0].equals("book") && w.length == 4) {
            int at = column.computeIfAbsent(w[1], id -> column.size());
            columnName[at] = w[2];
            copies[at] += Words.number(w[3], 1);
        } else throw new IllegalArgumentException("typo?");
    }

    private int lentOut(int c) {
        int n = 0;
        for (int[] line : due) if (line[c] != 0) n++;
        return n;
    }

    private void lend(int r, int c, int day) {
        int n = 0;
        for (int d : due[r]) {
            if (d == 0) continue;
            if (d < day) throw new IllegalArgumentException("overdue since " + d);
            n++;
        }
        if (n == Main.MAX_LOANS) throw new IllegalArgumentException("three are enough");
        if (due[r][c] != 0 || lentOut(c) == copies[c]) throw new IllegalArgumentException("not available");
        due[r][c] = day + period[r];
        System.out.println(rowName[r] + " may keep " + columnName[c] + " until " + due[r][c]);
    }

    private void clear(int r, int c, int day) {
        if (due[r][c] == 0) throw new IllegalArgumentException("was not lent");
        int delay = Math.max(day - due[r][c], 0);
        due[r][c] = 0;
        System.out.println(delay + " days late: " + Words.money(Math.min(delay * Main.FINE_PER_DAY, Main.MAX_FINE)));
    }

    private void overdue(int day) {
        int last = 0;
        for (;;) {
            int next = day;
            for (int[] line : due) for (int d : line) if (d > last && d < next) next = d;
            if (next == day) break;
            for (int r = 0; r < row.size(); r++)
                for (int c = 0; c < column.size(); c++)
                    if (due[r][c] == next) System.out.println(next + " " + rowName[r] + " " + columnName[c]);
            last = next;
        }
    }

    private void stock() {
        for (int c = 0; c < column.size(); c++)
            System.out.println(columnName[c] + ": " + (copies[c] - lentOut(c)) + " here, " + lentOut(c) + " lent");
    }
}
