fixture store.db
at export 4096x4096 --db store.db -o t.cu
sed "/^$/,\$d" t.cu
sed -n "/cuda_runtime/,\$p" t.cu
at export 4096x4096 f16 --db store.db
at export 4096x4096 --db store.db -o missing/t.cu
# A device, a pipe or a folder is never replaced; a link stays a link.
mkdir folder && mkfifo pipe && ln -s real.cu link.cu && touch real.cu
at export 4096x4096 --db store.db -o folder
cat pipe >through & at export 4096x4096 --db store.db -o pipe
wait; cmp t.cu through && echo same
at export 4096x4096 --db store.db -o ''
at export 4096x4096 --db store.db -o link.cu
ls -F folder pipe link.cu; cmp t.cu real.cu && echo same
