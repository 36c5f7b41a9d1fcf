# Times that are none, in somebody else's database: a replay passes over them, and nothing of ours is called broken.
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
fixture a.db
sqlite3 a.db "UPDATE trial SET median_s = -1 WHERE config LIKE 'TILE=64%'"
at tune --device replay:a.db 4096x4096 f32 --quiet --db other.db
sqlite3 a.db "UPDATE winner SET median_s = 0"
at tune --device replay:a.db 4096x4096 f32 --quiet --db third.db
sqlite3 a.db "UPDATE trial SET median_s = 0 WHERE outcome = 'timed'"
at tune --device replay:a.db 4096x4096 f32 --quiet --db fourth.db
