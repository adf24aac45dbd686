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
        System.out.println("renew NAME ID             one more loan period");
        System.out.println("quit                      stop");
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Library library = new Library();
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
                switch (words[0]) {
                    case "help": help(); break;
                    case "book": library.addBook(words[1], words[2], Words.number(words[3], 1)); break;
                    case "member": library.addMember(words[1], words.length == 3); break;
                    case "lend": library.lend(words[1], words[2], Words.number(words[3], 0)); break;
                    case "return": library.returnBook(words[1], words[2], Words.number(words[3], 0)); break;
                    case "overdue": library.printOverdue(Words.number(words[1], 0)); break;
                    case "stock": library.printStock(); break;
                    case "renew": library.renew(words[1], words[2]); break;
                    default: System.out.println("unknown command: " + words[0]);
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            } catch (ArrayIndexOutOfBoundsException e) {
                System.out.println("error: missing argument");
            }
        }
    }
}
