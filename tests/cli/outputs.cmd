# No output takes the place of what the command reads, under whatever name; what is refused is untouched.
fixture a.db
cp a.db saved
ln -s a.db soft.db; ln a.db hard.db
echo '4096x4096 f32' >shapes
mkdir -p dir/transpose dir/common
cp "$DATA/templates/transpose/shared.cu" dir/transpose/mine.cu
cp "$DATA"/templates/common/*.cuh dir/common/
same() { cmp a.db saved && cmp shapes - <<<'4096x4096 f32' && cmp dir/transpose/mine.cu "$DATA/templates/transpose/shared.cu" && echo same; }
for o in a.db ./soft.db hard.db "$PWD/a.db" a.db-wal a.db-shm a.db-journal soft.db; do at dump --db a.db -o "$o"; done
at dump --db soft.db -o a.db-wal
at dump --db a.db --shapes shapes -o shapes
at dump --db a.db --shapes shapes --templates dir -o dir/common/../transpose/mine.cu
at export 4096x4096 --db a.db -o a.db
at export 4096x4096 --db a.db --templates dir -o dir/transpose/mine.cu
fixture other.db && cp other.db other
at dump --db a.db -o other.db
at export 4096x4096 --db a.db -o other.db
at report --db a.db -o soft.db
cmp other.db other
"$AUTOTUNE" dump --db a.db >>hard.db; echo "[exit $?]"
same
export AUTOTUNE_CACHE=$PWD/cache.db
for t in new.db ./new.db new.db-wal a.db hard.db shapes cache.db dir/common/middle.cuh; do
  at tune --device replay:soft.db --shapes shapes --templates dir --db new.db --trace "$t" --quiet
done
mkdir sub && ln -s ../late.db sub/late
at tune --device replay:a.db 4096x4096 f32 --db late.db --trace sub/late --quiet
at tune --device replay:a.db 4096x4096 f32 --db made/x.db --trace made/x.db --quiet
same
ls | grep -v '^a.db-'
