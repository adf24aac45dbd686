/* other */
CREATE TABLE sales (
	num INTEGER PRIMARY KEY,
	client VARCHAR(99) NOT NULL,
	cost DECIMAL(8, 2) DEFAULT 7
);
INSERT INTO sales (client, cost) VALUES ('it''s', 10);
select s.client, COUNT(*) AS n, SUM(s.cost * 2) AS acc
From sales s
JOIN persons q ON q.label = s.client
WHERE s.cost > 5 AND q.years <= 99
GROUP BY s.client
HAVING COUNT(*) >= 3
ORDER BY acc DESC;
-- x
DELETE From sales WHERE cost + 1 < 0;
UPDATE sales SET cost = cost - 1;
