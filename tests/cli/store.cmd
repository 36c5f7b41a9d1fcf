at query 4096x4096
at query 4096x4096 --db none.db
fixture store.db
at query 4096x4096 f32 --db store.db
at query transpose 4096x4096 i32 --db store.db --format json
at query 4096x4096 --db store.db --format csv
at query 4096x4096 f16 --db store.db
at query 4096x4096 --db store.db --device 'NVIDIA A100-SXM4-80GB'
at query 2048x1000 --db store.db
at query 2048x1000 --db store.db --format json
at query 2048x1000 --db store.db --format csv
at show 4096x4096 --db store.db
at show 4096x4096 --db store.db --by template
at show 4096x4096 --db store.db --by outcome
at show 4096x4096 --db store.db --failed
at show 4096x4096 --db store.db --format csv
at show 4096x4096 f64 --db store.db
echo 'this is no database, but it is long enough to be looked at' >text.db
at query 4096x4096 --db text.db
cat text.db
at show 4096x4096 --db store.db --by outcome --format json
at show 4096x4096 --db store.db --device h200 --top 1 --format json
at show 4096x4096 --db store.db --device A100
at show 4096x4096 --db store.db --failed --by template --format csv
# A dump where a database is expected: what makes one of it.
"$AUTOTUNE" dump --db store.db -o d.jsonl && gzip -k d.jsonl
at show 4096x4096 --db d.jsonl
at query 4096x4096 --db d.jsonl.gz
cp d.jsonl "a dump.jsonl"
at query 4096x4096 --db "a dump.jsonl"
at merge d.jsonl store.db
at merge made.db d.jsonl.gz
