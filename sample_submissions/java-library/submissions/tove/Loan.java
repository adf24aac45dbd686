public class Loan {
	public final String member;
	public final String bookId;
	public final int dueDay;

	public Loan(String member, String bookId, int dueDay) {
		this.member = member;
		this.bookId = bookId;
		this.dueDay = dueDay;
	}

	public int fine(int day) {
		if (day <= dueDay) {
			return 0;
		}
		return Math.min((day - dueDay) * Main.FINE_PER_DAY, Main.MAX_FINE);
	}
}
