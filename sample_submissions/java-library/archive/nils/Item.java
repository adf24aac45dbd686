import java.util.Arrays;

/** A title with a fixed row of slots, one per copy. A free slot contains null. */
public class Item {
    public final String key;
    public final String name;
    private Slot[] slots = new Slot[0];

    public static class Slot {
        public Customer customer;
        public int lastDay;
    }

    public Item(String key, String name) {
        this.key = key;
        this.name = name;
    }

    public void enlarge(int more) {
        slots = Arrays.copyOf(slots, slots.length + more);
    }

    public int size() {
        return slots.length;
    }

    public int free() {
        int n = 0;
        for (Slot slot : slots) {
            if (slot == null) {
                n++;
            }
        }
        return n;
    }

    public boolean occupy(Customer customer, int lastDay) {
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] == null) {
                slots[i] = new Slot();
                slots[i].customer = customer;
                slots[i].lastDay = lastDay;
                customer.count++;
                return true;
            }
        }
        return false;
    }

    /** Empties the slot of this customer and returns its last day, or -1. */
    public int release(Customer customer) {
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] != null && slots[i].customer == customer) {
                int lastDay = slots[i].lastDay;
                slots[i] = null;
                customer.count--;
                return lastDay;
            }
        }
        return -1;
    }

    /** The earliest last day in this row that belongs to the customer (anybody if null). */
    public int earliest(Customer customer) {
        int best = Integer.MAX_VALUE;
        for (Slot slot : slots) {
            if (slot != null && (customer == null || slot.customer == customer) && slot.lastDay < best) {
                best = slot.lastDay;
            }
        }
        return best;
    }

    /** Names of the customers whose last day is exactly this one. */
    public String dueOn(int day) {
        String names = "";
        for (Slot slot : slots) {
            if (slot != null && slot.lastDay == day) {
                names += (names.isEmpty() ? "" : ", ") + slot.customer.name;
            }
        }
        return names;
    }
}
