# A template's text in the database that is not what was measured is refused.
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
fixture store.db
sqlite3 store.db "UPDATE template SET hash = 'f00' WHERE name = 'tile_rows'; UPDATE source SET hash = 'f00'"
at export 4096x4096 --db store.db | sed 's/ is [0-9a-f]\{12\}/ is HASH/'
