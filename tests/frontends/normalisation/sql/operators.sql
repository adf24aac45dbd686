-- who bought most
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  buyer VARCHAR(40) NOT NULL,
  price DECIMAL(8, 2) DEFAULT 1.5
);

INSERT INTO orders (buyer, price) VALUES ('Ann', 10);

SELECT o.buyer, COUNT(*) AS many, SUM(o.price / 2) AS total
FROM orders o
JOIN people p ON p.name = o.buyer
WHERE o.price > 5 AND p.age <= 99
GROUP BY o.buyer
HAVING COUNT(*) >= 3
ORDER BY total DESC;

/* remove */
DELETE FROM orders WHERE price - 1 < 0;
UPDATE orders SET price = price - 1;
