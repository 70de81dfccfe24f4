-- Endless work for sqlite3: inserts under an index, a join with aggregation, and a recursive query without an end.
CREATE TABLE edges (source INTEGER, target INTEGER, label TEXT);
CREATE INDEX by_source ON edges (source);
INSERT INTO edges
	WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
	SELECT i % 500, (i * 7919) % 500, printf('%x-%s', i, hex(i)) FROM n;
WITH RECURSIVE walk (step, node) AS (
	SELECT 0, 1
	UNION ALL
	SELECT step + 1, (SELECT (sum(a.target) + length(group_concat(b.label))) % 500
		FROM edges AS a JOIN edges AS b ON b.source = a.target
		WHERE a.source = walk.node AND b.label LIKE '%' || (walk.step % 10) || '%' ORDER BY b.label)
	FROM walk
)
SELECT sum(coalesce(node, 0)) FROM walk;
