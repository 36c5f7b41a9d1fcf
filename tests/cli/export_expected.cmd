# What was not tuned is exported as `query` answers it, and never with a time that nobody measured.
unset AUTOTUNE_NO_SHIPPED
head_of() { sed '/not measured/{ N; s,\n//   *, ,; }; /^$/,$d; s/hash [0-9a-f]*/hash .../; s/^\(\/\/ configuration \) .*/\1 .../; s/[0-9.]* us/... us/; s/[0-9.]* %/... %/; s/model of [0-9]* trials of [0-9]*/model of ... trials of .../; s/^\(\/\/ template  *\).*\//\1/; s/^\(\/\/ template  *\)[a-z_]*\.cu/\1....cu/'; }
same() { query="$("$AUTOTUNE" query "$@" | sed -n 's/  configuration  //p')"; export="$("$AUTOTUNE" export "$@" | sed -n 's/^\/\/ configuration  //p')"; [ "$query" = "$export" ] && [ -n "$query" ] && echo "query and export agree on $*"; }
# No database was ever made here.
at export 513x2000 f32 --device H200 | head_of
at export 4096x4099 f32 --exact
at export 4096x4099 f32 --no-shipped
at export 4096x4096 f32 --exact | grep -E '^\$|^// (measured|from|exit)' | sed 's/[0-9.]* us.*/... us/'
AUTOTUNE_NO_MODEL=1 at export 4096x4099 f32 --device H200 | head_of
at export 4096x4096 f32 --device 'NVIDIA A100-SXM4-80GB' | head_of
at export 513x2000 f32 --device H200 --format json | grep -oE '"(match|why|origin|from_shape|median_s|expected_s|expected_loss|measured_at|shape)":("[^"]*"|[^,]*)' | sed 's/:[0-9.e-]*$/:.../; s/of [0-9]* trials of [0-9]*/of ... trials of .../'
at export 4096x4099 f32 --main -o with_main.cu
grep -E 'autotune_stored(_us|\[)' with_main.cu | head -2 | sed 's/us = [0-9.]*/us = .../'
for shape in 4096x4099 31x1000003 77777x5x9 64x33 8192x8192/8256x8200; do for type in u8 f32 c128; do same $shape $type; done; done
AUTOTUNE_NO_MODEL=1; export AUTOTUNE_NO_MODEL; same 4096x4099 f32; same 77x5000 u8
unset AUTOTUNE_NO_MODEL
# The user's own: near, and with --exact nothing.
fixture store.db
at export 4096x4100 f32 --db store.db --no-shipped | head_of
at export 4096x4100 f32 --db store.db --no-shipped --exact
at query 4096x4100 f32 --db store.db --no-shipped --exact
at query 4096x4096 f32 --db store.db --no-shipped --exact | head -2
