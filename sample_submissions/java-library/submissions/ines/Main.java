import java.util.Scanner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Library. I do not use Words.split but one regular expression per command.
 */
public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    private static final String TEXT = "(\"[^\"]*\"|\\S+)";
    private static final String NUMBER = "(\\d{1,6})";

    private static final Pattern BOOK = command("book", TEXT, TEXT, NUMBER);
    private static final Pattern MEMBER = command("member", "(\\S+)( child)?");
    private static final Pattern LEND = command("lend", TEXT, TEXT, NUMBER);
    private static final Pattern RETURN = command("return", TEXT, TEXT, NUMBER);
    private static final Pattern OVERDUE = command("overdue", NUMBER);
    private static final Pattern PROLONG = command("prolong", TEXT, TEXT, NUMBER);

    private static final Inventory inventory = new Inventory();
    private static final Clients clients = new Clients();

    private static Pattern command(String name, String... parts) {
        return Pattern.compile(name + "\\s+" + String.join("\\s+", parts));
    }

    private static Matcher match;

    private static boolean is(Pattern pattern, String line) {
        match = pattern.matcher(line);
        return match.matches();
    }

    private static String text(int group) {
        return match.group(group).replace("\"", "");
    }

    private static int number(int group) {
        return Integer.parseInt(match.group(group));
    }

    private static void interpret(String line) {
        if (is(BOOK, line)) {
            inventory.add(text(1), text(2), number(3));
        } else if (is(MEMBER, line)) {
            clients.register(text(1), match.group(2) == null ? LOAN_DAYS : CHILD_LOAN_DAYS);
        } else if (is(LEND, line)) {
            Client c = clients.byName(text(1));
            String reason = c.whyNot(number(3));
            if (reason == null && !inventory.take(text(2))) {
                reason = "everything is lent";
            }
            if (reason == null) {
                c.borrow(text(2), number(3));
            }
            System.out.println(reason == null ? "enjoy reading" : "no: " + reason);
        } else if (is(RETURN, line)) {
            int fine = clients.byName(text(1)).bringBack(text(2), number(3));
            inventory.put(text(2));
            if (fine > 0) {
                System.out.printf("%.2f please%n", fine / 100.0);
            }
        } else if (is(PROLONG, line)) {
            int day = clients.byName(text(1)).prolong(text(2), number(3));
            System.out.println("new day: " + day);
        } else if (is(OVERDUE, line)) {
            clients.forEachLate(number(1), (name, id, day) ->
                    System.out.printf("%s should have returned %s on %d%n", name, inventory.nameOf(id), day));
        } else if (line.equals("stock")) {
            inventory.print();
        } else {
            System.out.println("wrong command or wrong parameters");
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String line = in.nextLine().trim();
            if (line.equals("quit")) {
                return;
            }
            if (!line.isEmpty() && line.charAt(0) != '#') {
                try {
                    interpret(line);
                } catch (IllegalArgumentException problem) {
                    System.out.println("problem: " + problem.getMessage());
                }
            }
        }
    }
}
