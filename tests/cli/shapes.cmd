# Nothing is started on a bad file: the place, what was found, what was expected.
printf '4096x4096\n512 2048 u9\n' >type.txt
printf '# sizes\n\n  4096x0 f16\n' >zero.txt
printf '1x2x3x4 f32\n' >dims.txt
printf '4096xabc\n' >word.txt
printf '9999999999x9999999999\n' >large.txt
printf '\n# nothing\n' >empty.txt
printf '4096xabc\n4096x4096 f32\n1x2x3x4 f32\n4x0\n' >several.txt
for file in several type zero dims word large empty missing; do at tune --shapes $file.txt; done
at tune --shapes type.txt 4096x4096
at space 4096x4096/4160x4352 f32 --arch sm_90 --only tile_rows --fix tile_rows.TILE=32 --fix tile_rows.UNROLL=no
at space 4096x4096/4000x4352 f32 --arch sm_90
at space 4096x4096/4160x4352x1 f32 --arch sm_90
at space 4096x4096/ f32 --arch sm_90
at query 1,024x1024
at query copy cols=1..64
at space 'copy cols=1..64 torch.float16' --only linear
at query 4096x04096
at tune 4096x4096 --ld 04160
at tune 4096x4096 --max-trials 010
at tune 4096x4096 --shard 01/3
at space 4096x4096/x f32 --arch sm_90
at space copy 4096/4160 f32 --arch sm_90
at tune 4096x4096 --ld 4160,zero
at tune 4096x4096 --ld 4000
at space 4096x16@4 f32 --arch sm_90 --only naive,records,skew,subtile
at space 4096x4096@256x16 f32 --arch sm_90 --only subtile
at space 4096x4096@6 f32 --arch sm_90
at space 4096x4096@4x4x4 f32 --arch sm_90
at space 4096x4096@ f32 --arch sm_90
at space copy 4096@4 f32 --arch sm_90
at tune 4096x4096 --align 16,x
at tune 4096x4096 --align 99999999999999999999
at tune 4096x4096 --align 2
# A template gets what its declaration has a thought of, and no other alignment.
mkdir -p my/scale
cp "$DATA/../fuzz/corpus/declare/align.cu" my/scale/op.cu
at space scale 8x8@4x256 --templates my
at space scale 8x8@4 --templates my
at space scale 8x8@4x256x4 --templates my
# "-" is stdin for every command that reads a file of problems.
fixture a.db
at tune --device replay:a.db 4096x4096 f32 --quiet --db here.db
echo 4096x4096 f32 >one.txt
"$AUTOTUNE" dump --shapes - --db here.db <one.txt | grep -o '"kind":"winner","op":"transpose","shape":"4096x4096"'
"$AUTOTUNE" verify --shapes - --db here.db --device replay:a.db --format csv <one.txt 2>/dev/null | cut -d , -f 1-3
