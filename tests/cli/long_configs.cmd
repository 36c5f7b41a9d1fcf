# A configuration may be longer than 1024 bytes: 17 parameters with names of 60 characters. `verify` measures the ceiling
# of a winner again, which would be none if its name were cut, and names a rival whole.
fixture a.db
mkdir -p my/copy
one=''
{
  printf '/*!autotune\ntemplate long\n'
  for number in {11..27}; do
    name=$(printf 'P%s%57s' "$number" '' | tr ' ' O)
    printf 'param %s = 1 2\n' "$name"
    one="$one $name=1"
  done
  printf 'grid 1\nblock 256\n*/\n'
  printf 'extern "C" __global__ void copy_long(T *out, const T *in, long long batch, long long rows, long long cols)\n{\n}\n'
} >my/copy/long.cu
one=${one# }
two=${one%1}2
"$AUTOTUNE" dump --db a.db | sed "s/\"ceiling\":\"memcpy\"/\"ceiling\":\"long $one\"/" >long.jsonl
trial=$(grep '"config":"TILE=32' long.jsonl | head -n 1 | sed 's/"op":"transpose"/"op":"copy"/; s/"tile_rows"/"long"/')
sed "s/\"TILE=32[^\"]*\"/\"$one\"/; s/3.6e-05/3.4e-05/" <<<"$trial" >>long.jsonl
sed "s/\"TILE=32[^\"]*\"/\"$two\"/; s/3.6e-05/6.8e-05/" <<<"$trial" >>long.jsonl
for op in transpose copy; do
  "$AUTOTUNE" tune "$op" 4096x4096 --device replay:long.jsonl --quiet --db here.db --templates my >tuned 2>&1 || cat tuned
done
at verify --device replay:long.jsonl --db here.db --templates my --format csv | grep -v '^autotune: warning' |
  sed 's/O\{57\}/O.../g'
