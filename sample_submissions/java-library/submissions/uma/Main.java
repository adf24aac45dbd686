import java.util.*;

// Assignment 3 - library
// Uma
// everything is static because there is only one library

public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    // books
    static ArrayList<String> bookIds = new ArrayList<>();
    static ArrayList<String> bookTitles = new ArrayList<>();
    static ArrayList<Integer> bookCopies = new ArrayList<>();

    // members
    static ArrayList<String> memberNames = new ArrayList<>();
    static ArrayList<Integer> memberDays = new ArrayList<>();

    // loans (index of member, index of book, due day)
    static ArrayList<int[]> loans = new ArrayList<>();

    static int lentCopies(int book) {
        int n = 0;
        for (int[] loan : loans)
            if (loan[1] == book)
                n++;
        return n;
    }

    static void addBook(String[] w) {
        int i = bookIds.indexOf(w[1]);
        int n = Words.number(w[3], 1);
        if (i < 0) {
            bookIds.add(w[1]);
            bookTitles.add(w[2]);
            bookCopies.add(n);
        } else {
            bookCopies.set(i, bookCopies.get(i) + n);
        }
    }

    static void addMember(String[] w) {
        memberNames.add(w[1]);
        if (w.length > 2 && w[2].equals("child"))
            memberDays.add(CHILD_LOAN_DAYS);
        else
            memberDays.add(LOAN_DAYS);
    }

    static void lend(String[] w) {
        int member = memberNames.indexOf(w[1]);
        int book = bookIds.indexOf(w[2]);
        int day = Words.number(w[3], 0);
        if (member < 0 || book < 0) {
            System.out.println("unknown member or book");
            return;
        }
        int has = 0;
        for (int[] loan : loans) {
            if (loan[0] == member) {
                has++;
                if (loan[2] < day) {
                    System.out.println("not possible, overdue: " + bookTitles.get(loan[1]));
                    return;
                }
            }
        }
        if (has >= MAX_LOANS) {
            System.out.println("not possible, has " + has + " books");
            return;
        }
        if (lentCopies(book) >= bookCopies.get(book)) {
            System.out.println("not possible, all copies lent");
            return;
        }
        int[] loan = { member, book, day + memberDays.get(member) };
        loans.add(loan);
        System.out.println("until " + loan[2]);
    }

    static void returnBook(String[] w) {
        int member = memberNames.indexOf(w[1]);
        int book = bookIds.indexOf(w[2]);
        int day = Words.number(w[3], 0);
        for (int i = 0; i < loans.size(); i++) {
            if (loans.get(i)[0] == member && loans.get(i)[1] == book) {
                int daysLate = day - loans.get(i)[2];
                loans.remove(i);
                if (daysLate > 0)
                    System.out.println("fine " + Words.money(Math.min(MAX_FINE, daysLate * FINE_PER_DAY)));
                else
                    System.out.println("no fine");
                return;
            }
        }
        System.out.println("no such loan");
    }

    static void overdue(String[] w) {
        int day = Words.number(w[1], 0);
        // bubble sort from the lecture
        for (int i = 0; i < loans.size(); i++) {
            for (int j = 0; j + 1 < loans.size() - i; j++) {
                if (loans.get(j)[2] > loans.get(j + 1)[2]) {
                    int[] h = loans.get(j);
                    loans.set(j, loans.get(j + 1));
                    loans.set(j + 1, h);
                }
            }
        }
        for (int[] loan : loans)
            if (loan[2] < day)
                System.out.println(memberNames.get(loan[0]) + " - " + bookTitles.get(loan[1]) + " - " + loan[2]);
    }

    static void stock() {
        for (int i = 0; i < bookIds.size(); i++)
            System.out.println(bookIds.get(i) + " - " + bookTitles.get(i) + " - "
                    + (bookCopies.get(i) - lentCopies(i)) + " of " + bookCopies.get(i));
    }

    // own command: how many books, members, loans
    static void count() {
        System.out.println(bookIds.size() + " titles, " + memberNames.size() + " members, " + loans.size() + " loans");
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String line = in.nextLine().trim();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            try {
                String[] words = Words.split(line);
                if (words[0].equals("quit")) break;
                else if (words[0].equals("book")) addBook(words);
                else if (words[0].equals("member")) addMember(words);
                else if (words[0].equals("lend")) lend(words);
                else if (words[0].equals("return")) returnBook(words);
                else if (words[0].equals("overdue")) overdue(words);
                else if (words[0].equals("stock")) stock();
                else if (words[0].equals("count")) count();
                else System.out.println("what?");
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            } catch (IndexOutOfBoundsException e) {
                System.out.println("error: too few words");
            }
        }
    }
}
