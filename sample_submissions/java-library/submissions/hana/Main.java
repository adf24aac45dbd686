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
        System.out.println("reserve NAME ID           wait for a book (my own command)");
        System.out.println("quit                      stop");
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Shelves shelves = new Shelves();
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
                } else {
                    System.out.print(shelves.handle(words));
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
