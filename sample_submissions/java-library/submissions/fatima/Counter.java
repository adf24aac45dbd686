import java.util.*;
import java.util.function.Function;
import java.util.stream.*;

/* The counter of the library. dispatch() finds the action for a command. */
class Counter
{
  private final Map<String, Medium> inventory = new LinkedHashMap<>();
  private final Map<String, Client> clients = new HashMap<>();
  private final Set<Checkout> checkouts = new LinkedHashSet<>();
  private final Map<String, Function<String[], Output>> actions = new HashMap<>();

  Counter()
  {
    actions.put("book", this::purchase);
    actions.put("member", this::signUp);
    actions.put("lend", this::giveOut);
    actions.put("return", this::receive);
    actions.put("overdue", this::expiredOnes);
    actions.put("stock", params -> new Output(inventory.values().stream().map(this::row).toList()));
    actions.put("search", params -> new Output(inventory.values().stream()
        .filter(m -> m.label().toLowerCase().contains(params[1].toLowerCase()))
        .map(this::row)
        .toList()));
  }

  Output dispatch(String[] params)
  {
    return Optional.ofNullable(actions.get(params[0]))
        .orElseThrow(() -> new IllegalArgumentException("command not supported: " + params[0]))
        .apply(params);
  }

  private Output purchase(String[] params)
  {
    int amount = Words.number(params[3], 1);
    inventory.merge(params[1], new Medium(params[1], params[2], amount), (before, unused) -> before.withExtra(amount));
    return Output.of();
  }

  private Output signUp(String[] params)
  {
    Client newcomer = new Client(params[1], params.length > 2);
    return clients.putIfAbsent(newcomer.label(), newcomer) == null
        ? Output.of("registered: " + newcomer.label())
        : Output.of("registered before");
  }

  private Output giveOut(String[] params)
  {
    Client client = lookup(clients, params[1]);
    Medium medium = lookup(inventory, params[2]);
    int today = Words.number(params[3], 0);
    List<Checkout> current = checkouts.stream().filter(checkout -> checkout.client().equals(client)).toList();

    if (current.stream().anyMatch(checkout -> checkout.expired(today))) return Output.of("rejected: outstanding returns");
    if (current.size() >= Main.MAX_LOANS) return Output.of("rejected: three media at most");
    if (remaining(medium) == 0) return Output.of("rejected: everything borrowed");
    if (current.stream().anyMatch(checkout -> checkout.mediumCode().equals(medium.code()))) return Output.of("rejected: same medium twice");

    Checkout checkout = new Checkout(client, medium.code(), today + client.maxDays());
    checkouts.add(checkout);
    return Output.of("deadline: " + checkout.deadline());
  }

  private Output receive(String[] params)
  {
    Client client = lookup(clients, params[1]);
    Checkout checkout = checkouts.stream()
        .filter(c -> c.client().equals(client) && c.mediumCode().equals(params[2]))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no checkout found for " + client.label()));
    checkouts.remove(checkout);
    int penalty = checkout.penalty(Words.number(params[3], 0));
    return penalty > 0 ? Output.of("penalty: " + Words.money(penalty)) : Output.of("returned in time");
  }

  private Output expiredOnes(String[] params)
  {
    int today = Words.number(params[1], 0);
    return new Output(checkouts.stream()
        .filter(checkout -> checkout.expired(today))
        .sorted(Comparator.comparingInt(Checkout::deadline).thenComparing(checkout -> checkout.client().label()))
        .map(checkout -> checkout.client().label() + "; " + inventory.get(checkout.mediumCode()).label() + "; " + (today - checkout.deadline()) + " days")
        .collect(Collectors.toList()));
  }

  private long remaining(Medium m)
  {
    return m.pieces() - checkouts.stream().filter(checkout -> checkout.mediumCode().equals(m.code())).count();
  }

  private String row(Medium m)
  {
    return String.join(" ; ", m.code(), m.label(), remaining(m) + " here", m.pieces() + " total");
  }

  private static <T> T lookup(Map<String, T> table, String entry)
  {
    return Optional.ofNullable(table.get(entry))
        .orElseThrow(() -> new IllegalArgumentException("not registered: " + entry));
  }
}
