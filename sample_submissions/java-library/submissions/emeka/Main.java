import java.util.Scanner;

/*
 * Emeka O.
 * Programming 2, third assignment, handed in on Sunday
 * extra command: history
 */
public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    private static final Library library = new Library();

    static void help() {
        System.out.println("book ID TITLE COPIES      add a title, or more copies of one");
        System.out.println("member NAME [child]       register a member");
        System.out.println("lend NAME ID DAY          lend a book");
        System.out.println("return NAME ID DAY        take it back, print the fine");
        System.out.println("overdue DAY               who should have returned what");
        System.out.println("stock                     all titles and how many are in");
        System.out.println("history NAME              what a member has borrowed so far");
        System.out.println("quit                      stop");
    }

    /** Complains unless the command has that many words after its name. */
    private static void expect(String[] words, int count) {
        if (words.length - 1 < count) {
            throw new IllegalArgumentException(words[0] + " needs " + count + " values, see help");
        }
    }

    static void execute(String[] words) {
        switch (words[0]) {
            case "help":
                help();
                break;
            case "book":
                expect(words, 3);
                library.addBook(words[1], words[2], Words.number(words[3], 1));
                break;
            case "member":
                expect(words, 1);
                library.addMember(words[1], words.length > 2 && words[2].equals("child"));
                break;
            case "lend":
                expect(words, 3);
                Loan lent = library.lend(words[1], words[2], Words.number(words[3], 0));
                System.out.println("due on day " + lent.dueDay);
                break;
            case "return":
                expect(words, 3);
                int fine = library.giveBack(words[1], words[2], Words.number(words[3], 0));
                System.out.println(fine == 0 ? "thank you" : "fine: " + Words.money(fine));
                break;
            case "overdue":
                expect(words, 1);
                for (Loan loan : library.overdue(Words.number(words[1], 0))) {
                    System.out.println(loan.member.getName() + ": " + loan.describe());
                }
                break;
            case "stock":
                for (Book book : library.stock()) {
                    System.out.println(book);
                }
                break;
            case "history":
                expect(words, 1);
                for (Loan loan : library.history(words[1])) {
                    System.out.println(loan.describe());
                }
                break;
            default:
                throw new IllegalArgumentException("unknown command " + words[0]);
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
                }
                execute(words);
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
