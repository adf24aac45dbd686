import java.util.Scanner;

/** Handed out with assignment 3: reads commands and hands them to your library. */
public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    static void help() {
        System.out.println("book ID TITLE COPIES      add a title, or more copies of one");
        System.out.println("member NAME [child]       register a member");
        System.out.println("lend NAME ID DAY          lend a book");
        System.out.println("return NAME ID DAY        take it back, print the fine");
        System.out.println("overdue DAY               who should have returned what");
        System.out.println("stock                     all titles and how many are in");
        System.out.println("leave NAME                remove a member");
        System.out.println("quit                      stop");
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Library lib = new Library();
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
                if (words[0].equals("help")) {
                    help();
                } else if (words[0].equals("book") && words.length == 4) {
                    lib.addBook(words[1], words[2], Words.number(words[3], 1));
                } else if (words[0].equals("member") && words.length >= 2) {
                    lib.addMember(words[1], words.length == 3 && words[2].equals("child"));
                } else if (words[0].equals("lend") && words.length == 4) {
                    System.out.println("due on " + lib.lend(words[1], words[2], Words.number(words[3], 0)));
                } else if (words[0].equals("return") && words.length == 4) {
                    int fine = lib.giveBack(words[1], words[2], Words.number(words[3], 0));
                    System.out.println("fine: " + Words.money(fine));
                } else if (words[0].equals("overdue") && words.length == 2) {
                    lib.overdue(Words.number(words[1], 0));
                } else if (words[0].equals("stock")) {
                    lib.stock();
                } else if (words[0].equals("leave") && words.length == 2) {
                    lib.removeMember(words[1]);
                } else {
                    System.out.println("unknown command or wrong number of words");
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
