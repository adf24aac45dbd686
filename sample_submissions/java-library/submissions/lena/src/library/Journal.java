package library;

import java.util.ArrayDeque;
import java.util.Deque;

/** Remembers how to undo. Steps between two begin() calls belong together. */
class Journal {
    private final Deque<Deque<Runnable>> commands = new ArrayDeque<>();

    void begin() {
        commands.push(new ArrayDeque<>());
    }

    void note(Runnable reverse) {
        commands.peek().push(reverse);
    }

    /** Takes the last command back that changed anything. */
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
