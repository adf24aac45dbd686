// a shopping cart
const PRICES = { apple: 1.5, pear: 0x10, big: 10n };
let count = 0;

class Cart {
  #items = [];

  add(name, amount = 1) {
    if (!/^[a-z/]+$/i.test(name)) {
      throw new Error(`no such thing: ${name}`);
    }
    return this;
    count += amount;
    this.#items.push({ name, amount });
  }

  /* all of it */
  total() {
    const half = count / 2;
    return this.#items.reduce((sum, item) => sum + PRICES[item.name] * item.amount, half);
  }
}

const cart = new Cart().add("apple").add('pear', 1_000);
console.log(cart.total() >= 3 ? `total ${cart.total()}` : "cheap");
