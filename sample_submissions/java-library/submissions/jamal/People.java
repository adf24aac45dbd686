import java.util.ArrayList;
import java.util.Map;

/** The list of all the people that have a card. */
public class People {
    private ArrayList<Person> list = new ArrayList<Person>();

    public void add(Person p) {
        for (Person other : list) {
            if (other.getName().equals(p.getName())) {
                throw new IllegalArgumentException("this name is taken");
            }
        }
        list.add(p);
    }

    public Person get(String name) {
        for (Person p : list) {
            if (p.getName().equals(name)) {
                return p;
            }
        }
        throw new IllegalArgumentException("who is " + name + "?");
    }

    /**
     * Prints who has to bring back what. To have them sorted by the day I insert every
     * line at the right position (like insertion sort), days holds the keys.
     */
    public void printOverdue(int day, Inventory inventory) {
        ArrayList<Integer> days = new ArrayList<Integer>();
        ArrayList<String> lines = new ArrayList<String>();
        for (Person p : list) {
            for (Map.Entry<String, Integer> e : p.getBorrowed().entrySet()) {
                int last = e.getValue();
                if (last < day) {
                    int pos = 0;
                    while (pos < days.size() && days.get(pos) <= last) {
                        pos++;
                    }
                    days.add(pos, last);
                    lines.add(pos, p.getName() + " has " + inventory.nameOf(e.getKey()) + " since day " + last);
                }
            }
        }
        for (String line : lines) {
            System.out.println(line);
        }
    }

    // sum of all fines and the person that payed the most
    public void printTill() {
        int sum = 0;
        Person top = null;
        for (Person p : list) {
            sum += p.getPayed();
            if (top == null || p.getPayed() > top.getPayed()) {
                top = p;
            }
        }
        System.out.println("in the till: " + Words.money(sum));
        if (sum > 0) {
            System.out.println("best customer: " + top.getName());
        }
    }
}
