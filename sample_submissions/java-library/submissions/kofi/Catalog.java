import java.util.ArrayList;
import java.util.List;

/** Sorted list of entries with binary search. */
class Catalog {

    static final class Entry {
        final String code;
        String title;
        int owned;

        Entry(String code) {
            this.code = code;
        }
    }

    private final List<Entry> entries = new ArrayList<>();
    private final Journal journal;

    Catalog(Journal journal) {
        this.journal = journal;
    }

    private int find(String code) {
        int lo = 0;
        int hi = entries.size() - 1;
        while (lo <= hi) {
            int mid = (lo + hi) >>> 1;
            int cmp = entries.get(mid).code.compareTo(code);
            if (cmp == 0) {
                return mid;
            } else if (cmp < 0) {
                lo = mid + 1;
            } else {
                hi = mid - 1;
            }
        }
        return -lo - 1;
    }

    void add(String code, String title, int count) {
        int pos = find(code);
        if (pos < 0) {
            pos = -pos - 1;
            entries.add(pos, new Entry(code));
            Entry created = entries.get(pos);
            created.title = title;
            journal.note(() -> entries.remove(created));
        }
        Entry entry = entries.get(pos);
        entry.owned += count;
        journal.note(() -> entry.owned -= count);
    }

    Entry get(String code) {
        int pos = find(code);
        if (pos < 0) {
            throw new IllegalArgumentException("book not found: " + code);
        }
        return entries.get(pos);
    }

    void show(Ledger ledger) {
        for (Entry entry : entries) {
            int out = ledger.outstanding(entry.code);
            System.out.println(entry.code + " \"" + entry.title + "\" in: " + (entry.owned - out) + " out: " + out);
        }
    }
}
