# Operations whose templates are not here: what is stored of them is shown.
fixture a.db
"$AUTOTUNE" dump --db a.db | sed 's/"op":"transpose"/"op":"blur"/' >blur.jsonl
at merge blur.db blur.jsonl
at show blur 4096x4096 --db blur.db --top 1
at show blur 4096x4096 i32 --db blur.jsonl --failed
at show blur 4096x4096 --db blur.db --json --top 1 | sed 's/"cc".*//'
at show blur 64x64 --db blur.db
at show blur 4096x4096 f16 --db blur.db
at show smear 64x64 --db blur.db
