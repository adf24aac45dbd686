import java.util.HashMap;
import java.util.ArrayList;
import java.util.Collections;

public class Inventory {
    private HashMap<String, String> names = new HashMap<String, String>();
    private HashMap<String, Integer> in = new HashMap<String, Integer>();
    private HashMap<String, Integer> all = new HashMap<String, Integer>();

    public void add(String id, String name, int copies) {
        names.put(id, name);
        in.put(id, in.getOrDefault(id, 0) + copies);
        all.put(id, all.getOrDefault(id, 0) + copies);
    }

    // takes one copy if possible, returns false if not
    public boolean take(String id) {
        if (!names.containsKey(id)) {
            throw new IllegalArgumentException("there is no book " + id);
        }
        int n = in.get(id);
        if (n > 0) {
            in.put(id, n - 1);
            return true;
        } else {
            return false;
        }
    }

    public void put(String id) {
        in.put(id, in.get(id) + 1);
    }

    public String nameOf(String id) {
        return names.get(id);
    }

    public void print() {
        ArrayList<String> ids = new ArrayList<String>(names.keySet());
        Collections.sort(ids);
        for (String id : ids) {
            System.out.println(id + ": " + names.get(id) + ", " + in.get(id) + " in, "
                + (all.get(id) - in.get(id)) + " out");
        }
    }
}
