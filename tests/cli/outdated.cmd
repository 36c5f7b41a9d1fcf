# The winner's template has changed since: its runner-up answers; without trials the winner itself, marked as what it is.
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
fixture store.db
sqlite3 store.db "INSERT INTO template (id, name, hash) VALUES (99, 'tile_rows', 'of another day');
  UPDATE winner SET template_id = 99; UPDATE trial SET template_id = 99 WHERE config LIKE 'TILE=32%'"
at query 4096x4096 --db store.db
at query 4096x4096 --db store.db --format json
at query 4096x4096 --db store.db --format csv
sqlite3 store.db "DELETE FROM trial"
at query 4096x4096 --db store.db
at query 4096x4096 --db store.db --format json
