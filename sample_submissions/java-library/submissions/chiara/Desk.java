import java.util.*;
import java.util.function.Function;
import java.util.stream.*;

// Every command is a function from its arguments to the lines it prints.
class Desk {
    private final Map<String, Title> catalogue = new LinkedHashMap<>();
    private final Map<String, Reader> readers = new HashMap<>();
    private final Set<Lending> lendings = new LinkedHashSet<>();
    private final Map<String, Function<String[], Answer>> commands = new HashMap<>();

    Desk() {
        commands.put("book", this::acquire);
        commands.put("member", this::enrol);
        commands.put("lend", this::lend);
        commands.put("return", this::takeBack);
        commands.put("overdue", this::overdue);
        commands.put("stock", args -> new Answer(catalogue.values().stream().map(this::shelf).toList()));
        commands.put("find", args -> new Answer(catalogue.values().stream()
                .filter(t -> t.name().toLowerCase().contains(args[1].toLowerCase()))
                .map(this::shelf)
                .toList()));
    }

    Answer run(String[] args) {
        return Optional.ofNullable(commands.get(args[0]))
                .orElseThrow(() -> new IllegalArgumentException("I don't know how to " + args[0]))
                .apply(args);
    }

    private Answer acquire(String[] args) {
        int n = Words.number(args[3], 1);
        catalogue.merge(args[1], new Title(args[1], args[2], n), (old, fresh) -> old.plus(n));
        return Answer.of();
    }

    private Answer enrol(String[] args) {
        Reader r = new Reader(args[1], args.length > 2);
        return readers.putIfAbsent(r.name(), r) == null ? Answer.of("welcome " + r.name()) : Answer.of("we know you!");
    }

    private Answer lend(String[] args) {
        Reader who = known(readers, args[1]);
        Title what = known(catalogue, args[2]);
        int now = Words.number(args[3], 0);
        List<Lending> mine = lendings.stream().filter(l -> l.reader().equals(who)).toList();

        if (mine.stream().anyMatch(l -> l.late(now))) return Answer.of("refused (something is late)");
        if (mine.size() >= Main.MAX_LOANS) return Answer.of("refused (limit reached)");
        if (left(what) == 0) return Answer.of("refused (none left)");
        // one copy of a title per reader is enough, otherwise the set would swallow the second
        if (mine.stream().anyMatch(l -> l.titleId().equals(what.id()))) return Answer.of("refused (you have it)");

        Lending l = new Lending(who, what.id(), now + who.allowance());
        lendings.add(l);
        return Answer.of("until day " + l.until());
    }

    private Answer takeBack(String[] args) {
        Reader who = known(readers, args[1]);
        Lending l = lendings.stream()
                .filter(x -> x.reader().equals(who) && x.titleId().equals(args[2]))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("that is not lent to " + who.name()));
        lendings.remove(l);
        int cost = l.cost(Words.number(args[3], 0));
        return cost > 0 ? Answer.of("please pay " + Words.money(cost)) : Answer.of("thanks");
    }

    private Answer overdue(String[] args) {
        int now = Words.number(args[1], 0);
        return new Answer(lendings.stream()
                .filter(l -> l.late(now))
                .sorted(Comparator.comparingInt(Lending::until).thenComparing(l -> l.reader().name()))
                .map(l -> l.reader().name() + " / " + catalogue.get(l.titleId()).name() + " / " + (now - l.until()) + "d")
                .collect(Collectors.toList()));
    }

    private long left(Title t) {
        return t.copies() - lendings.stream().filter(l -> l.titleId().equals(t.id())).count();
    }

    private String shelf(Title t) {
        return String.join(" | ", t.id(), t.name(), left(t) + " left", t.copies() + " owned");
    }

    private static <T> T known(Map<String, T> map, String key) {
        return Optional.ofNullable(map.get(key))
                .orElseThrow(() -> new IllegalArgumentException("never heard of " + key));
    }
}
