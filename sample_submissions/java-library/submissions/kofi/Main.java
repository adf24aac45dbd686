import java.util.Scanner;

/** Library by Kofi. Catalogue, ledger and a journal for undo. */
public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    static final Journal journal = new Journal();
    static final Catalog catalog = new Catalog(journal);
    static final Ledger ledger = new Ledger();

    private static void bookCommand(String[] words) {
        journal.begin();
        catalog.add(words[1], words[2], Words.number(words[3], 1));
        System.out.println("book added (undo removes it)");
    }

    private static void lendCommand(String[] words) {
        String id = words[2];
        Catalog.Entry e = catalog.get(id);
        if (e.owned - ledger.outstanding(id) <= 0) {
            System.out.println("sorry, there are no copies left");
        } else {
            int day = ledger.write(words[1], id, Words.number(words[3], 0));
            System.out.println("lent until day " + day);
        }
    }

    private static void returnCommand(String[] words) {
        int fine = ledger.cross(words[1], words[2], Words.number(words[3], 0));
        if (fine == -1) {
            System.out.println("sorry, this book is not lent");
        } else {
            System.out.println("returned, fine " + Words.money(fine));
        }
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
                if (words[0].equals("quit")) {
                    break;
                } else if (words[0].equals("book")) {
                    bookCommand(words);
                } else if (words[0].equals("member")) {
                    ledger.issueCard(words[1], words.length > 2 ? CHILD_LOAN_DAYS : LOAN_DAYS);
                } else if (words[0].equals("lend")) {
                    lendCommand(words);
                } else if (words[0].equals("return")) {
                    returnCommand(words);
                } else if (words[0].equals("overdue")) {
                    System.out.print(ledger.overdue(Words.number(words[1], 0)));
                } else if (words[0].equals("stock")) {
                    catalog.show(ledger);
                } else if (words[0].equals("undo")) {
                    System.out.println(journal.undo() ? "ok" : "not possible");
                } else {
                    System.out.println("sorry, I do not know " + words[0]);
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            } catch (ArrayIndexOutOfBoundsException e) {
                System.out.println("error: there is a word missing");
            }
        }
    }
}
