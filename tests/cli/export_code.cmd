fixture store.db
"$AUTOTUNE" export 4096x4096 --db store.db --format ptx -o t.ptx 2>error || { grep -q NVRTC error && skip 'NVRTC is not installed'; cat error; }
grep -E '^\.target|\.entry' t.ptx
at export 4096x4096 --db store.db --format cubin -o t.cubin
head -c 4 t.cubin | od -An -c
AUTOTUNE_NVRTC=/none.so at export 4096x4096 --db store.db --format ptx >seen
tail -1 seen
