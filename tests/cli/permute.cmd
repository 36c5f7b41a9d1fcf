# Problems of two layouts: what they are called, whose they are, what is wrong with them.
counts() { "$AUTOTUNE" space "$@" 2>&1 | sed -E 's/  in [0-9.]+ ms//'; }
counts permute 75x96x75x96 3,0,2,1
counts permute 75x1x96x75x96 4,1,0,3,2 f32 --only tile
counts 'permute 64x100x32 2,1,0 in=6400,64,1 out=6400,64,1 f16' --only rows --only naive
counts permute 355x384x384 0,2,1 --only tile_vec
counts permute 4x5x6 0,1,2 u8
counts permute 3x4x5 0,1,1
counts permute 3x4x5 0,1
counts permute 3x4x5
counts permute 3x4x5 2,1,9
counts permute 3x4 1,0 in=4
counts permute 3x4x5 2,1,0 out=8,4,1
counts permute 3x4 1,0 f99
at query 'permute 75x96x75x96:3.0.2.1 f32' --db none.db
# Where another operation solves it, results have that one's name: said once.
fixture a.db
at query permute 1x4096x4096 0,2,1 --db a.db --device H200
at query permute 1x4096x4096 0,2,1 --db a.db --device H200 --json >json.txt; grep -c '"op":"transpose"' json.txt
"$AUTOTUNE" tune --device replay:a.db permute 4096x4096 1,0 f32 2>&1 | grep ' is transpose '
