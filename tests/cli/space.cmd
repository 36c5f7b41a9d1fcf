at space 4096x4096 f32 --only tile_rows
at space 4096x4096 f32 --only tile_rows --fix tile_rows.TILE=32 --fix tile_rows.PAD=1 --fix tile_rows.UNROLL=no --list
at space 4096x4096 c128 --only narrow
at space 4096x4096 f32 --only tile_rows --sample 2 --seed 3
at space 4096x4096 f32 --only tile_rows --sample 1 --seed 3 --format json
at space 4096x4096 f32 --only tile_rows --sample 1 --seed 3 --format csv
at space 4096x4096 c128 --only narrow --list
at space 4096x4096 c128 --only narrow --list --sample 1
at space 4096x4096 f32 --only tile_rows --only narrow --bench --format csv | cut -d, -f1-4
at space 4096x4096 f32 --only tile_rows --only narrow --bench | sed -E 's/ +[0-9.]+ .*//'
at space 4096x4096 f32 --only tile_rows --bench --format json | sed -E 's/,"space_bytes".*//'
# A T1 declaration is of one template, and of one that has configurations.
at space 4096x4096 f32 --only tile --format t1 | head -n 7
at space 4096x4096 f32 --format t1
at space 4096x4096 f32 --only narrow --format t1
at space 4096x4096 f32 --only tile --format t1 --list
# What is only for packs is in no search, unless it is named.
at space 7x30000 f32 | grep -c strips
at space 7x30000 f32 --only strips
# A template without parameters has one configuration.
mkdir -p own/copy
printf '/*!autotune\ntemplate bare\ngrid 1\nblock 32\n*/\nextern "C" __global__ void copy_bare(T *out, const T *in, long long b, long long r, long long c) {}\n' >own/copy/bare.cu
at space copy 64x64 f32 --templates own --only bare --list
