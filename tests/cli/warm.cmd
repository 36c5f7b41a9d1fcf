# What was measured with --warm is kept apart from what was measured cold. Both are stored for one problem; cold answers while it
# is there, a database of warm results alone answers with these, and a recording of them is replayed with --warm only.
fixture cold.db
"$AUTOTUNE" dump --db cold.db | sed 's/"cold":1/"cold":0/; s/ORDER=out_fast/ORDER=in_fast/' >warm.jsonl
at merge warm.db warm.jsonl
at merge both.db cold.db warm.jsonl
at query 4096x4096 --db warm.db
at query 4096x4096 --db both.db
at show 4096x4096 --db both.db --top 4
at tune 4096x4096 f32 --device replay:warm.db --db none.db --quiet
at tune 4096x4096 f32 --device replay:warm.db --db replayed.db --quiet --warm
