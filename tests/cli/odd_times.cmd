# Times that are none, in somebody else's database: a replay passes over them, and nothing of ours is called broken.
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
fixture a.db
sqlite3 a.db "UPDATE trial SET median_s = -1 WHERE config LIKE 'TILE=64%'"
at tune --device replay:a.db 4096x4096 f32 --quiet --db other.db
sqlite3 a.db "UPDATE winner SET median_s = 0"
at tune --device replay:a.db 4096x4096 f32 --quiet --db third.db
sqlite3 a.db "UPDATE trial SET median_s = 0 WHERE outcome = 'timed'"
at tune --device replay:a.db 4096x4096 f32 --quiet --db fourth.db
# Nor is it told as somebody's winner, or dumped as a number: the next best answers, and says why.
fixture b.db
for value in 9e999 -5 1e-300; do
  sqlite3 b.db "UPDATE winner SET median_s = $value"
  at query 4096x4096 --db b.db
  at query 4096x4096 --db b.db --format json
  at export 4096x4096 --db b.db | grep '^//'
  at query 4096x4090 --db b.db
done
sqlite3 b.db "UPDATE winner SET median_s = 9e999, min_s = -9e999"
at dump --db b.db | grep -oE '"(median_s|min_s)":[^,]*,"m|"min_s":[^,]*,"spread":0.01,"samples":45'
at dump --db b.db -o b.jsonl
at merge c.db b.jsonl

# Nor does a run believe them of its own database: it measures anew.
fixture c.db
at tune --device replay:c.db 4096x4096 f32 --quiet --db own.db
sqlite3 own.db "DELETE FROM winner; UPDATE trial SET median_s = -1 WHERE config LIKE 'TILE=64%'"
at tune --device replay:c.db 4096x4096 f32 --quiet --db own.db
