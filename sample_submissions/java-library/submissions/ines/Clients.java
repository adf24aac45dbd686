import java.util.Map;
import java.util.TreeMap;

class Clients {

    interface LateVisitor {
        void visit(String name, String bookId, int dueDay);
    }

    private final Map<String, Client> all = new TreeMap<>();

    void register(String name, int days) {
        all.put(name, new Client(name, days));
    }

    Client byName(String name) {
        Client c = all.get(name);
        if (c == null) throw new IllegalArgumentException("please register " + name + " first");
        return c;
    }

    // group by day with a tree of "day;name;id" keys, the tree does the sorting
    void forEachLate(int today, LateVisitor visitor) {
        TreeMap<String, Runnable> calls = new TreeMap<>();
        all.forEach((name, client) -> client.getBorrowed().forEach((id, due) -> {
            if (due < today) {
                calls.put(String.format("%06d;%s;%s", due, name, id), () -> visitor.visit(name, id, due));
            }
        }));
        calls.values().forEach(Runnable::run);
    }
}
