/** One title on the shelves; all copies of it are alike. */
public class Book {
    private final String id;
    private final String title;
    private int total;
    private int lent;

    public Book(String id, String title) {
        this.id = id;
        this.title = title;
    }

    public String getId() {
        return id;
    }

    public String getTitle() {
        return title;
    }

    public void addCopies(int n) {
        total += n;
    }

    public boolean isAvailable() {
        return lent < total;
    }

    public void takeOut() {
        if (!isAvailable()) {
            throw new IllegalArgumentException("all copies of " + title + " are lent out");
        }
        lent++;
    }

    public void putBack() {
        lent--;
    }

    @Override
    public String toString() {
        return String.format("%-8s %-30s %d of %d in", id, title, total - lent, total);
    }
}
