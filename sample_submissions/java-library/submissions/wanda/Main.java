import java.util.HashMap;
import java.util.Scanner;

public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    // key is "name/id", value is the due day
    static HashMap<String, Integer> lent = new HashMap<>();
    static HashMap<String, Integer> shelf = new HashMap<>();
    static HashMap<String, Integer> bought = new HashMap<>();
    static HashMap<String, String> title = new HashMap<>();
    static HashMap<String, Integer> allowedDays = new HashMap<>();

    static String tryToLend(String name, String id, int day) {
        Integer allowed = allowedDays.get(name);
        Integer left = shelf.get(id);
        if (allowed == null) return "I don't know " + name;
        if (left == null) return "I don't know " + id;
        if (left == 0) return title.get(id) + " is gone";
        int has = 0;
        for (String key : lent.keySet()) {
            String[] parts = key.split("/");
            if (parts[0].equals(name)) {
                has = has + 1;
                if (lent.get(key) < day) {
                    return name + " has to return " + parts[1];
                }
            }
        }
        if (has == MAX_LOANS) return name + " has 3 already";
        shelf.put(id, left - 1);
        lent.put(name + "/" + id, day + allowed);
        return "have fun until day " + (day + allowed);
    }

    static String tryToReturn(String name, String id, int day) {
        String key = name + "/" + id;
        if (!lent.containsKey(key)) return "you don't have it";
        int tooLate = day - lent.get(key);
        lent.remove(key);
        shelf.put(id, shelf.get(id) + 1);
        if (tooLate <= 0) return "ok";
        int fine = tooLate * FINE_PER_DAY;
        return "fine " + Words.money(fine > MAX_FINE ? MAX_FINE : fine);
    }

    static void stock() {
        for (String id : title.keySet()) {
            System.out.println(title.get(id) + " (" + id + "): " + shelf.get(id) + " from " + bought.get(id));
        }
    }

    static void overdue(int day) {
        int d = 0;
        while (d < day) {
            for (String key : lent.keySet()) {
                if (lent.get(key) == d) {
                    System.out.println(key + " was due on " + d);
            }
            d++;
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
                if (words[0].equals("book")) {
                    int n = Words.number(words[3], 1);
                    title.put(words[1], words[2]);
                    shelf.put(words[1], n + shelf.getOrDefault(words[1], 0));
                    bought.put(words[1], n + bought.getOrDefault(words[1], 0));
                }
                if (words[0].equals("member")) {
                    allowedDays.put(words[1], words.length == 3 ? CHILD_LOAN_DAYS : LOAN_DAYS);
                }
                if (words[0].equals("lend")) {
                    System.out.println(tryToLend(words[1], words[2], Words.number(words[3], 0)));
                }
                if (words[0].equals("return")) {
                    System.out.println(tryToReturn(words[1], words[2], Words.number(words[3], 0)));
                }
                if (words[0].equals("stock")) stock();
                if (words[0].equals("overdue")) overdue(Words.number(words[1], 0));
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
