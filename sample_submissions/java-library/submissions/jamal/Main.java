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
        System.out.println("till                      money earned with fines, who payed most");
        System.out.println("quit                      stop");
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        // all the objects that I need for the hole program
        Inventory inventory = new Inventory();
        People people = new People();
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
                }
                // adding a book
                if (words[0].equals("book")) {
                    inventory.add(words[1], words[2], Words.number(words[3], 1));
                }
                // adding a person, children have an extra word in the end
                if (words[0].equals("member")) {
                    if (words.length == 3 && words[2].equals("child")) {
                        people.add(new Child(words[1]));
                    } else {
                        people.add(new Adult(words[1]));
                    }
                }
                // the person borows a book
                if (words[0].equals("lend")) {
                    Person p = people.get(words[1]);
                    int day = Words.number(words[3], 0);
                    String problem = p.whyNot(day);
                    if (problem != null) {
                        System.out.println("sorry, " + problem);
                    } else if (!inventory.take(words[2])) {
                        System.out.println("sorry, no copy of " + words[2] + " is in");
                    } else {
                        p.borrow(words[2], day);
                        System.out.println("ok");
                    }
                }
                // the person brings it back
                if (words[0].equals("return")) {
                    Person p = people.get(words[1]);
                    int fine = p.bringBack(words[2], Words.number(words[3], 0));
                    inventory.put(words[2]);
                    System.out.println("ok, to pay: " + Words.money(fine));
                }
                if (words[0].equals("overdue")) {
                    people.printOverdue(Words.number(words[1], 0), inventory);
                }
                if (words[0].equals("stock")) {
                    inventory.print();
                }
                // my own command
                if (words[0].equals("till")) {
                    people.printTill();
                }
            } catch (IllegalArgumentException e) {
                System.out.println("error: " + e.getMessage());
            } catch (ArrayIndexOutOfBoundsException e) {
                System.out.println("error: not enough words");
            }
        }
    }
}
