import java.util.Scanner;
import java.util.TreeMap;

/** Lending library 2024, Nils */
public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    static TreeMap<String, Item> items = new TreeMap<>();
    static TreeMap<String, Customer> customers = new TreeMap<>();

    static Item item(String key) {
        if (!items.containsKey(key)) throw new IllegalArgumentException("item " + key + " does not exist");
        return items.get(key);
    }

    static Customer customer(String name) {
        if (!customers.containsKey(name)) throw new IllegalArgumentException("customer " + name + " does not exist");
        return customers.get(name);
    }

    static void lend(Customer customer, Item item, int today) {
        for (Item other : items.values()) {
            if (other.earliest(customer) < today) {
                System.out.println("denied: " + other.name + " is overdue");
                return;
            }
        }
        if (customer.count == MAX_LOANS) {
            System.out.println("denied: " + MAX_LOANS + " items at most");
        } else if (item.occupy(customer, today + customer.days)) {
            System.out.println("granted until day " + (today + customer.days));
        } else {
            System.out.println("denied: next one expected on day " + item.earliest(null));
        }
    }

    static void giveBack(Customer customer, Item item, int today) {
        int lastDay = item.release(customer);
        if (lastDay < 0) {
            System.out.println("denied: " + customer.name + " does not have it");
        } else if (lastDay < today) {
            System.out.println("accepted, costs " + Words.money(Math.min(MAX_FINE, FINE_PER_DAY * (today - lastDay))));
        } else {
            System.out.println("accepted");
        }
    }

    static void overdue(int today) {
        for (int day = 0; day < today; day++) {
            for (Item item : items.values()) {
                String names = item.dueOn(day);
                if (!names.isEmpty()) {
                    System.out.println("day " + day + ", " + item.name + ": " + names);
                }
            }
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
                switch (words[0] + words.length) {
                    case "book4":
                        items.putIfAbsent(words[1], new Item(words[1], words[2]));
                        items.get(words[1]).enlarge(Words.number(words[3], 1));
                        break;
                    case "member2":
                        customers.put(words[1], new Customer(words[1], LOAN_DAYS));
                        break;
                    case "member3":
                        customers.put(words[1], new Customer(words[1], CHILD_LOAN_DAYS));
                        break;
                    case "lend4":
                        lend(customer(words[1]), item(words[2]), Words.number(words[3], 0));
                        break;
                    case "return4":
                        giveBack(customer(words[1]), item(words[2]), Words.number(words[3], 0));
                        break;
                    case "overdue2":
                        overdue(Words.number(words[1], 0));
                        break;
                    case "stock1":
                        for (Item item : items.values()) {
                            System.out.println(item.key + " = " + item.name + ", " + item.free() + " free of " + item.size());
                        }
                        break;
                    default:
                        System.out.println("I do not understand: " + line);
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
