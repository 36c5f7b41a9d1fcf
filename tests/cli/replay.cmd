fixture a.db
at dump --db a.db --compact -o a.jsonl
at tune --device replay:a.db 4096x4096 f32 --quiet
at tune --device replay:a.db 4096x4096 f32 --quiet
# They are in a database of their own: who looks for them in the usual one is told so.
at show 4096x4096 f32
at show 4096x4096 f32 --device A100
at show 4096x4097 f32
cp a.db usual.db
AUTOTUNE_DB=usual.db at show 4096x4096 f32 --device 'replay of'
AUTOTUNE_DB=usual.db at show 4096x4096 f32 --top 1
at show 4096x4096 f32 --db "$XDG_DATA_HOME/autotune/replay.db" --top 1
at show 4096x4096 f32 --db none.db
at tune --device replay:a.jsonl 4096x4096 f32 --quiet --db other.db
at tune --device replay:a.db 4096x4096 f64 --quiet --db other.db
at tune --device replay:a.db 4096x4096 f32 --quiet --db other.db --max-trials 1 --strategy random --seed 2
at tune --device replay:none.db 4096x4096 f32
at tune --device replay: 4096x4096 f32
at tune --device replay:a.db,0 4096x4096 f32
echo 'this is no database, but it is long enough to be looked at' >text.db
at tune --device replay:text.db 4096x4096 f32
at tune --device replay:a.db 4096x4096 f32 --quiet --db a.db
at query 4096x4096 --db a.db
at query 4096x4096 --db a.db --device replay
at export 4096x4096 --db a.db --device replay -o t.cu
sed "/^$/,\$d" t.cu
