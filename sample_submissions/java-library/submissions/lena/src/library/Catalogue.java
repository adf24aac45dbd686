package library;

import java.util.ArrayList;
import java.util.List;

/**
 * The catalogue is a sorted list; lookups use binary search.
 * Whatever changes it leaves a note in the journal so that it can be taken back.
 */
class Catalogue {

    static final class Entry {
        final String code;
        String title;
        int owned;
        int away;

        Entry(String code) {
            this.code = code;
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final Journal journal;

    Catalogue(Journal journal) {
        this.journal = journal;
    }

    /** Position of the code, or -(insertion point) - 1 as in java.util.Collections. */
    private int search(String code) {
        int low = 0;
        int high = entries.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int order = entries.get(middle).code.compareTo(code);
            if (order == 0) {
                return middle;
            } else if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    void add(String code, String title, int number) {
        int at = search(code);
        if (at < 0) {
            at = -at - 1;
            entries.add(at, new Entry(code));
            Entry created = entries.get(at);
            created.title = title;
            journal.note(() -> entries.remove(created));
        }
        Entry entry = entries.get(at);
        entry.owned += number;
        journal.note(() -> entry.owned -= number);
    }

    Entry get(String code) {
        int at = search(code);
        if (at < 0) {
            throw new IllegalArgumentException("unknown code " + code);
        }
        return entries.get(at);
    }

    void checkOut(Entry entry) {
        if (entry.away == entry.owned) {
            throw new IllegalArgumentException("\"" + entry.title + "\" is out");
        }
        entry.away++;
        journal.note(() -> entry.away--);
    }

    void checkIn(Entry entry) {
        entry.away--;
        journal.note(() -> entry.away++);
    }

    void show() {
        for (Entry entry : entries) {
            System.out.printf("%-6s %3d/%-3d %s%n", entry.code, entry.owned - entry.away, entry.owned, entry.title);
        }
    }
}
