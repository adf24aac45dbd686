import java.util.ArrayList;
import java.util.List;

/** Handed out with assignment 3: turns the text of a command into words and numbers. */
public final class Words {

    private Words() {
    }

    /** Cuts a line at blanks; "double quotes" keep blanks together. */
    public static String[] split(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean quoted = false;
        boolean started = false;
        for (char c : line.toCharArray()) {
            if (c == '"') {
                quoted = !quoted;
                started = true;
            } else if (Character.isWhitespace(c) && !quoted) {
                if (started) {
                    words.add(word.toString());
                    word.setLength(0);
                    started = false;
                }
            } else {
                word.append(c);
                started = true;
            }
        }
        if (quoted) {
            throw new IllegalArgumentException("missing closing quote");
        }
        if (started) {
            words.add(word.toString());
        }
        return words.toArray(new String[0]);
    }

    /** Reads a whole number that must not be smaller than min. */
    public static int number(String word, int min) {
        int value;
        try {
            value = Integer.parseInt(word);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number: " + word);
        }
        if (value < min) {
            throw new IllegalArgumentException(word + " is too small, expected at least " + min);
        }
        return value;
    }

    /** 125 becomes "1.25". */
    public static String money(int cents) {
        return String.format("%d.%02d", cents / 100, cents % 100);
    }
}
