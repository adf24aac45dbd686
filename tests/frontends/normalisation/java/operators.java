package shop.stock;

import java.util.ArrayList;
import java.util.List;

/** Counts what is left on the shelves. */
public final class Shelf {
    private static final double WEIGHT = 1.5e-3;
    private final List<Integer> items = new ArrayList<>();

    // Adds an item, unless the shelf is full.
    public boolean add(int item, char mark) {
        if (items.size() >= 0x1F || mark == '\'') {
            return false;
        }
        items.add(item);
        return true;
    }

    public String describe(String name) {
        long total = 0L;
        for (int i = 0; i < items.size(); i++) {
            total += items.get(i) - 2 * 1;
        }
        String head = """
            Shelf "main":
            """;
        char end = '\u0041';
        System.out.println(total);
        return head + name + total * WEIGHT + ", " + end;
    }
}
