public class Book {
	public final String title;
	public int copies;
	public int available;

	public Book(String title) {
		this.title = title;
	}
}
