# A file of problems, all answered; a dump, packed or not, stands for its database.
fixture a.db
at dump --db a.db -o a.jsonl.gz
printf '4096x4096\n1024x77 f64 # nobody tuned it\n4096x4096 f16\n' >all.txt
at query --shapes all.txt --db a.db --exact
"$AUTOTUNE" query --shapes all.txt --db a.jsonl.gz --exact --json 2>/dev/null | cut -c 1-100
"$AUTOTUNE" query --shapes all.txt --db a.jsonl.gz --exact --format csv 2>/dev/null | grep -c "^match,"
at query --shapes all.txt 8x8
at query --shapes all.txt --db none.db
at query 4096x4096 --db a.jsonl.gz
at show 4096x4096 --db a.jsonl.gz --top 1
at export 4096x4096 --db a.jsonl.gz --format json | cut -c 1-80
