import java.util.*;

public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    private final LibraryState state = new LibraryState();

    /** Returns false when the program should stop. */
    private boolean step(String line) {
        if (!line.isEmpty() && !line.startsWith("#")) {
            try {
                String[] words = Words.split(line);
                if ("quit".equals(words[0])) return false;
                dispatch(words);
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
        return true;
    }

    private String arg(String[] words, int index) {
        if (index < words.length) {
            return words[index];
        }
        throw new IllegalArgumentException("argument " + index + " of " + words[0] + " is missing");
    }

    private int day(String[] words, int index) {
        return Words.number(arg(words, index), 0);
    }

    private void dispatch(String[] words) {
        String name = words[0];
        if (name.equals("history")) {
            for (Borrowing b : state.history(arg(words, 1))) {
                System.out.println(b.line());
            }
        } else if (name.equals("stock")) {
            state.printTitles();
        } else if (name.equals("overdue")) {
            state.printLate(day(words, 1));
        } else if (name.equals("return")) {
            int cents = state.returned(arg(words, 1), arg(words, 2), day(words, 3));
            if (cents > 0) {
                System.out.println("you owe us " + Words.money(cents));
            } else {
                System.out.println("on time");
            }
        } else if (name.equals("lend")) {
            System.out.println("keep it until " + state.borrowed(arg(words, 1), arg(words, 2), day(words, 3)));
        } else if (name.equals("member")) {
            boolean child = words.length >= 3 && "child".equals(words[2]);
            state.newMember(arg(words, 1), child);
        } else if (name.equals("book")) {
            state.newBook(arg(words, 1), arg(words, 2), Words.number(arg(words, 3), 1));
        } else {
            throw new IllegalArgumentException("cannot do " + name);
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        Main main = new Main();
        boolean goOn = true;
        while (goOn && in.hasNextLine()) {
            goOn = main.step(in.nextLine().trim());
        }
    }
}
