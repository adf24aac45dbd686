// read a list of orders
class Order {
    String name
    int amount = 1

    def cost(price) {
        if (amount > 10 && name != null) {
            return amount * price - 2.5
        }
        amount * price
    }
}

/* all of them */
def orders = [new Order(name: 'tea', amount: 3), new Order(name: "milk")]
def total = 0
for (order in orders) {
    total += order.cost(4)
}
orders.each { println it.name }
println "total: ${total}"
