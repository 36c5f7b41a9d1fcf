# The steps of every text on the transpose, by what they cost: the scattered side, bank conflicts, padding.
need_nvrtc
# Registers are the compiler's.
explain() { at explain transpose 1024x1024 f32 --arch sm_90 "$@" | sed -E 's/[0-9]+ registers/N registers/; /occupancy/d'; }
explain --config "naive BLOCK_X=32 BLOCK_Y=8"
explain --config "naive BLOCK_X=32 BLOCK_Y=8 SIDE=store"
explain --config "tile_rows PAD=0"
explain --config "tile_rows PAD=1"
explain --config "tile_rows PAD=2"
# How many instructions a source becomes is the compiler's, too: 8192 warps of some tens each have six digits.
explain --config "tile_rows PAD=0" --against "tile_rows PAD=1" | sed -n '/side by side/,$p' |
    sed -E '/instructions of warps/s/ [1-9][0-9]{5}( |$)/ NNNNNN\1/g'
# A sample of the blocks is multiplied.
at explain transpose 8192x8192 f32 --arch sm_90 --config naive --blocks 64 | sed -n '/counted/p; /naive.cu/p'
# What cannot be explained.
at explain transpose 1024x1024 f32
at explain transpose 1024x1024 f32 --config nave
at explain transpose 1024x1024 f32 --config "naive BLOCK_X=33"
at explain transpose 1024x1024 f32 --config "naive BLOCK_X=4 BLOCK_Y=1"
at explain transpose 1024x1024 f32 --config naive --arch sm_12
at explain transpose 1024x1024 f32 --config "naive BLOCK=32"
at explain transpse 1024x1024 f32
at explain transpose 1024x1024 f32 --config naive --format csv
"$AUTOTUNE" explain transpose 64x64 f32 --config naive --format json | grep -o '^{"schema":"autotune.explain/1","op":"transpose","shape":"64x64"'
# Without a compiler; what is mistyped is told first.
AUTOTUNE_NVRTC=/nowhere/libnvrtc.so at explain transpose 1024xx1024 f32
AUTOTUNE_NVRTC=/nowhere/libnvrtc.so at explain transpose 1024x1024 f32 --config naive | sed 's/ Install .*//; /^  /d'
# Of a built-in result, where there is no place for a database.
env -u HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME -u AUTOTUNE_NO_SHIPPED "$AUTOTUNE" explain 4096x4096 f32 --device H200 --blocks 1 2>&1 | head -n 1
# What nobody tuned: where it is from is told, too.
env -u AUTOTUNE_NO_SHIPPED "$AUTOTUNE" explain 513x2000 f32 --device H200 --blocks 1 --format json 2>&1 | grep -oE '"origin":"[^"]*"|error:.*'
