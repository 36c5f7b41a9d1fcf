fixture store.db
at export 4096x4096 --db store.db --format json -o t.json
sed 's/"source":.*/"source":.../; s/,"/,\n"/g' t.json
sqlite3 :memory: "select json_valid(readfile('t.json')), json_extract(readfile('t.json'), '\$.source') like '%__global__%'"
at export 4096x4096 --db store.db --format pdf
at export 4096x4096 --db store.db --format ptx --main
