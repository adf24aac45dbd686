public class Customer {
    public final String name;
    public final int days;
    public int count;

    public Customer(String name, int days) {
        this.name = name;
        this.days = days;
    }
}
