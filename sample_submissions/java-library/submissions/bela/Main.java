import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

public class Main {
    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    static String[] ids = new String[1000];
    static String[] titles = new String[1000];
    static int[] have = new int[1000];
    static int[] out = new int[1000];
    static int[] popularity = new int[1000];
    static int nBooks = 0;

    static String[] names = new String[1000];
    static boolean[] kid = new boolean[1000];
    static int nMembers = 0;

    static int[] loanWho = new int[5000];
    static int[] loanWhat = new int[5000];
    static int[] loanDue = new int[5000];
    static int nLoans = 0;

    static int indexOf(String[] a, int n, String s) {
        for (int i = 0; i < n; i++)
            if (a[i].equals(s)) return i;
        return -1;
    }

    static int bookNr(String id) {
        int b = indexOf(ids, nBooks, id);
        if (b == -1) throw new IllegalArgumentException("book?? " + id);
        return b;
    }

    static int memberNr(String name) {
        int m = indexOf(names, nMembers, name);
        if (m == -1) throw new IllegalArgumentException("member?? " + name);
        return m;
    }

    static void book(String id, String title, int n) {
        int b = indexOf(ids, nBooks, id);
        if (b == -1) {
            b = nBooks++;
            ids[b] = id;
            titles[b] = title;
        }
        have[b] += n;
    }

    static void lend(int m, int b, int day) {
        int count = 0;
        for (int i = 0; i < nLoans; i++) {
            if (loanWho[i] != m) continue;
            count++;
            if (loanDue[i] < day) {
                System.out.println("NO: bring back " + titles[loanWhat[i]] + " first");
                return;
            }
        }
        if (count == MAX_LOANS) { System.out.println("NO: too many"); return; }
        if (have[b] == out[b]) { System.out.println("NO: not here"); return; }
        out[b]++;
        popularity[b]++;
        loanWho[nLoans] = m;
        loanWhat[nLoans] = b;
        loanDue[nLoans] = day + (kid[m] ? CHILD_LOAN_DAYS : LOAN_DAYS);
        nLoans++;
        System.out.println("OK " + loanDue[nLoans - 1]);
    }

    static void giveBack(int m, int b, int day) {
        int i = 0;
        while (i < nLoans && !(loanWho[i] == m && loanWhat[i] == b)) i++;
        if (i == nLoans) { System.out.println("NO: was never lent"); return; }
        int fine = (day - loanDue[i]) * FINE_PER_DAY;
        if (fine < 0) fine = 0;
        if (fine > MAX_FINE) fine = MAX_FINE;
        nLoans--;
        loanWho[i] = loanWho[nLoans];
        loanWhat[i] = loanWhat[nLoans];
        loanDue[i] = loanDue[nLoans];
        out[b]--;
        System.out.printf("OK %.2f%n", fine / 100.0);
    }

    static void overdue(int day) {
        int from = -1;
        while (true) {
            int next = Integer.MAX_VALUE;
            for (int i = 0; i < nLoans; i++)
                if (loanDue[i] > from && loanDue[i] < next) next = loanDue[i];
            if (next >= day) return;
            for (int i = 0; i < nLoans; i++)
                if (loanDue[i] == next)
                    System.out.println(next + " " + names[loanWho[i]] + " " + titles[loanWhat[i]]);
            from = next;
        }
    }

    static void most() {
        int best = 0;
        for (int b = 1; b < nBooks; b++)
            if (popularity[b] > popularity[best]) best = b;
        if (nBooks > 0) System.out.println(titles[best] + " (" + popularity[best] + "x)");
    }

    static String[] split(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        boolean started = false;
        for (char c : line.toCharArray()) {
            if (c == '"') {
                quoted = !quoted;
                started = true;
            } else if (Character.isWhitespace(c) && !quoted) {
                if (started) {
                    words.add(word.toString());
                    word.setLength(0);
                    started = false;
                }
            } else {
                word.append(c);
                started = true;
            }
        }
        if (started) words.add(word.toString());
        return words.toArray(new String[0]);
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String[] w = split(in.nextLine());
            if (w.length == 0 || w[0].startsWith("#")) continue;
            try {
                if (w[0].equals("quit")) return;
                else if (w[0].equals("book")) book(w[1], w[2], Integer.parseInt(w[3]));
                else if (w[0].equals("member")) {
                    names[nMembers] = w[1];
                    kid[nMembers++] = w.length == 3;
                }
                else if (w[0].equals("lend")) lend(memberNr(w[1]), bookNr(w[2]), Integer.parseInt(w[3]));
                else if (w[0].equals("return")) giveBack(memberNr(w[1]), bookNr(w[2]), Integer.parseInt(w[3]));
                else if (w[0].equals("overdue")) overdue(Integer.parseInt(w[1]));
                else if (w[0].equals("most")) most();
                else if (w[0].equals("stock"))
                    for (int b = 0; b < nBooks; b++)
                        System.out.println(ids[b] + " " + titles[b] + " " + (have[b] - out[b]) + "/" + have[b]);
                else System.out.println("NO: ?");
            } catch (IllegalArgumentException e) {
                System.out.println("NO: " + e.getMessage());
            } catch (ArrayIndexOutOfBoundsException e) {
                System.out.println("NO: word missing");
            }
        }
    }
}
