import java.util.List;

record Title(String id, String name, int copies) {
    Title plus(int more) {
        return new Title(id, name, copies + more);
    }
}

record Reader(String name, boolean young) {
    int allowance() {
        return young ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS;
    }
}

record Lending(Reader reader, String titleId, int until) {
    boolean late(int now) {
        return until < now;
    }

    int cost(int now) {
        return late(now) ? Math.min(Main.MAX_FINE, (now - until) * Main.FINE_PER_DAY) : 0;
    }
}

record Answer(List<String> lines) {
    static Answer of(String... lines) {
        return new Answer(List.of(lines));
    }
}
