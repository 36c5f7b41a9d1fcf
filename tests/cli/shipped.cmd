# Built-in results answer where nothing was tuned, and say that they do.
unset AUTOTUNE_NO_SHIPPED
brief() { grep -E '^\$|match|configuration|from|origin|error|exit' | sed -E 's/("(config|template)":)"[^"]*"/\1.../g; s/(,"median_s").*/\1.../; s/configuration  .*/configuration  .../; s/model of [0-9]+ trials of [0-9]+/model of so many trials of so many/'; }
at query 4096x4096 f32 --device H200 | brief
at query 4096x4096 f32 --device H200 --format json | brief
at query 4096x4096 f32 --device H200 --format csv | cut -d, -f1-7
at query 513x2000 f32 --device H200 | brief
at query 513x2000 f32 --device H200 --format json | grep -o '"match":"predicted"\|"expected_s"\|"expected_loss"\|"median_s":null'
AUTOTUNE_NO_MODEL=1 at query 513x2000 f32 --device H200 | brief
# Nothing that small was learned, and no launch takes less.
at query 3x4 u8 --device H200 | grep -o 'about .* us expected'
at query 4096x4096 f32 --device 'NVIDIA A100-SXM4-80GB' | brief
at query 4096x4096 f32 --no-shipped
at export 4096x4096 f32 | grep -E "^\\$|^// from|exit"
at export 513x2000 f32 --device H200 | grep -E "^\\$|^// (not|from)|error|exit" | sed 's/model of .*/model of .../'
at export 4096x4096 f32 --no-shipped
AUTOTUNE_NO_SHIPPED=1 at query 4096x4096 f32
at query 4096x4096 f32 --db nowhere.db
ls "$XDG_DATA_HOME" 2>/dev/null

# The user's own go first where they are exact; built-in ones before what is near.
fixture store.db
at query 4096x4096 f32 --db store.db | brief
at query 1024x1024 f32 --db store.db | brief
at query 4096x4096 f64 --db store.db | brief
at export 1024x1024 f32 --db store.db | grep -E "^\\$|^// from|exit"

# They are not in the store.
at show 1024x1024 f32 --db store.db
at dump --db store.db | grep -c '"kind":"winner"'

# So it does without a home, as in a container, where there is no place for a database.
homeless() { env -u HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME "$AUTOTUNE" "$@" 2>&1 | grep -E 'match\)|^(\/\/|  ) *from|error'; }
homeless query 4096x4096 f32 --device H200
homeless query 513x2000 f32 --device H200 | sed 's/of [0-9]* trials of [0-9]*/of .../'
homeless query 4096x4096 f32 --exact --device 'NVIDIA A100-SXM4-80GB'
homeless query 4096x4096 f32 --no-shipped --device H200
homeless query 4096x4096 f32 --budget 1s --device H200
homeless export 4096x4096 f32 --device H200
homeless export 4096x4096 f32 --exact --device 'NVIDIA A100-SXM4-80GB'
homeless export 4096x4096 f32 --no-shipped --device H200
homeless show 4096x4096 f32

# Of each problem and device one winner ships, not those before it.
"$AUTOTUNE" merge merged.db "$DATA"/../../db/winners/*.jsonl.gz 2>/dev/null
"$AUTOTUNE" dump --db merged.db | grep '"kind":"winner"' |
  sed -E 's/.*"op":"([^"]*)","shape":"([^"]*)","type_key":"([^"]*)".*"device":"([^"]*)".*/two winners: \1 \2 \3 \4/' | sort | uniq -d

# A name is one in full or whole words of it, and a number a GPU of this machine.
at query 4096x4096 f32 --device h100 | brief
at query 4096x4096 f32 --device H20
at query 4096x4096 f32 --device nvidia
at query 4096x4096 f32 --device A100
at query 4096x4096 f32 --device 00
at export 4096x4096 f32 --device H20
at explain 4096x4096 f32 --device H20

# Of a device that nobody measured the model of the one most like it chooses, and promises no time.
at query 3000x5000 f32 --device 'Tesla T4' | brief
at query 3000x5000 f32 --device 'NVIDIA H100 NVL' | brief
at query 3000x5000 f32 --device 'Tesla T4' --format json | grep -o '"match":"[^"]*"\|"from_[a-z]*":[^,]*\|"expected_s"\|"expected_loss"\|"median_s":null'
at query 4096x4096 f32 --device 'NVIDIA H100 PCIe' | brief
at export 3000x5000 f32 --device 'Tesla T4' | grep -E "^\\$|^// (tran|Made|not|expected|from)|error|exit" | sed 's/model of .*/model of .../'

# What the model expects of a small odd problem.
at query 1473x1473 f32 --device H200 | grep -E 'match|template' | sed -E 's/of [0-9]+ trials of [0-9]+/of so many trials of so many/'
