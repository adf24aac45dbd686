import java.util.Scanner;
import java.util.TreeMap;

public class Main {

    static final int LOAN_DAYS = 21;
    static final int CHILD_LOAN_DAYS = 14;
    static final int MAX_LOANS = 3;
    static final int FINE_PER_DAY = 10;
    static final int MAX_FINE = 500;

    static TreeMap<String, Product> products = new TreeMap<>();
    static TreeMap<String, Member> members = new TreeMap<>();

    static Product product(String id) {
        if (!products.containsKey(id)) throw new IllegalArgumentException("wrong id " + id);
        return products.get(id);
    }

    static Member member(String name) {
        if (!members.containsKey(name)) throw new IllegalArgumentException("wrong name " + name);
        return members.get(name);
    }

    static void lend(Member member, Product product, int day) {
        for (Product p : products.values()) {
            if (p.firstDay(member) < day) {
                System.out.println("no, " + p.title + " is late");
                return;
            }
        }
        if (member.books == MAX_LOANS) {
            System.out.println("no, only " + MAX_LOANS + " allowed");
        } else if (product.take(member, day + member.period)) {
            System.out.println("yes, until " + (day + member.period));
        } else {
            System.out.println("no, maybe on day " + product.firstDay(null));
        }
    }

    static void bringBack(Member member, Product product, int day) {
        int endDay = product.leave(member);
        if (endDay < 0) {
            System.out.println("no, " + member.name + " has not got this book");
        } else if (endDay < day) {
            System.out.println("yes, but pay " + Words.money(Math.min(MAX_FINE, FINE_PER_DAY * (day - endDay))));
        } else {
            System.out.println("yes");
        }
    }

    static void overdue(int today) {
        for (int day = 0; day < today; day++) {
            for (Product product : products.values()) {
                String text = product.membersOn(day);
                if (!text.isEmpty()) {
                    System.out.println(product.title + " -> " + text + " (since " + day + ")");
                }
            }
        }
    }

    // extra: print all members
    static void who() {
        for (Member m : members.values()) {
            System.out.println(m.name + " has " + m.books);
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
                        products.putIfAbsent(words[1], new Product(words[1], words[2]));
                        products.get(words[1]).grow(Words.number(words[3], 1));
                        break;
                    case "member2":
                        members.put(words[1], new Member(words[1], LOAN_DAYS));
                        break;
                    case "member3":
                        members.put(words[1], new Member(words[1], CHILD_LOAN_DAYS));
                        break;
                    case "lend4":
                        lend(member(words[1]), product(words[2]), Words.number(words[3], 0));
                        break;
                    case "return4":
                        bringBack(member(words[1]), product(words[2]), Words.number(words[3], 0));
                        break;
                    case "overdue2":
                        overdue(Words.number(words[1], 0));
                        break;
                    case "stock1":
                        for (Product p : products.values()) {
                            System.out.println(p.id + " " + p.title + " " + p.empty() + " from " + p.count());
                        }
                        break;
                    case "who1":
                        who();
                        break;
                    default:
                        System.out.println("wrong command: " + line);
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            }
        }
    }
}
