# A name that is nearly right is answered with the one that was meant, and an error with the option that was given.
at check transpos
at check --only tile_row transpose
at check --only tile_row copy
at list --op gather_row
at tune 64x64 --op coppy
at explain 64x64 f32 --config naive --arch sm_9
at space 64x64 --arch sm_9
# Of an operation that has not the default type its first one is meant.
at query gather_rows 8x8x16 --no-shipped
at space gather_rows 8x8x16 | head -n 2
# What to do next can be copied into a shell.
mkdir -p "my data" "my templates/scale" && cp "$DATA/../fuzz/corpus/declare/align.cu" "my templates/scale/op.cu"
fixture "my data/a.db"
for command in query show export; do at "$command" scale 8x8 --db "my data/a.db" --templates "my templates"; done
