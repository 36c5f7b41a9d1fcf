fixture store.db
at export 4096x4096 --db store.db -o t.cu
sed '/^\/\*!autotune/,$d' t.cu
sed -n '/cuda_runtime/,$p' t.cu
at export 4096x4096 f16 --db store.db
at export 4096x4096 --db store.db -o missing/t.cu
