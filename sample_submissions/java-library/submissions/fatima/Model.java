import java.util.List;

record Medium(String code, String label, int pieces)
{
  Medium withExtra(int extra)
  {
    return new Medium(code, label, pieces + extra);
  }
}

record Client(String label, boolean minor)
{
  int maxDays()
  {
    return minor ? Main.CHILD_LOAN_DAYS : Main.LOAN_DAYS;
  }
}

record Checkout(Client client, String mediumCode, int deadline)
{
  boolean expired(int today)
  {
    return deadline < today;
  }

  int penalty(int today)
  {
    return expired(today) ? Math.min(Main.MAX_FINE, (today - deadline) * Main.FINE_PER_DAY) : 0;
  }
}

record Output(List<String> rows)
{
  static Output of(String... rows)
  {
    return new Output(List.of(rows));
  }
}
