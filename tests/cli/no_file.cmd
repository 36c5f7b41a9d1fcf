# SQLite would take these names for databases that end with the program, and all that was tuned with them.
fixture a.db
at dump --db a.db -o a.jsonl
at tune --device replay:a.db 4096x4096 f32 --db :memory: --quiet
at tune --device replay:a.db 4096x4096 f32 --db '' --quiet
at tune --device replay:a.db 4096x4096 f32 --db 'file:x.db?mode=memory' --quiet
at merge :memory: a.jsonl
at merge '' a.jsonl
at query 4096x4096 f32 --db :memory:
AUTOTUNE_DB=:memory: at query 4096x4096 f32
AUTOTUNE_CACHE=:memory: at cache
AUTOTUNE_CACHE=:memory: at cache --shrink
at tune --device replay::memory: 4096x4096 f32 --quiet
ls | grep -v '^a.db'
