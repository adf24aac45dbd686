import java.util.ArrayDeque;
import java.util.Deque;

/** For undo. */
class Journal {
    private final Deque<Deque<Runnable>> commands = new ArrayDeque<>();

    void begin() {
        commands.push(new ArrayDeque<>());
    }

    void note(Runnable reverse) {
        commands.peek().push(reverse);
    }

    boolean undo() {
        while (!commands.isEmpty()) {
            Deque<Runnable> steps = commands.pop();
            if (steps.isEmpty()) {
                continue;
            }
            while (!steps.isEmpty()) {
                steps.pop().run();
            }
            return true;
        }
        return false;
    }
}
