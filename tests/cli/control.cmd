# What a terminal would obey never reaches it: names and logs of a database, arguments, JSON. cat -v would show it.
fixture a.db
at dump --db a.db -o a.jsonl
sed -e 's/NVIDIA H200/H200\\u009b2J/; s/CUDA_ERROR_ILLEGAL_ADDRESS/\\u001b[2J\\u001b]0;owned\\u0007 \\u202etxt/; s/"memcpy"/"\\u001b[31mmemcpy"/' a.jsonl >b.jsonl
at merge b.db b.jsonl | cat -v
at query 4096x4096 --db b.db | grep -E 'ceiling|on H200' | cat -v
at query 4096x4096 --db b.db --format json | grep -oE '"(device|ceiling)":"[^"]*"' | cat -v
at show 4096x4096 --db b.db --failed | cat -v
at show 4096x4096 --db b.db --failed --format json | grep -oE '"(device|log)":"[^"]*"' | cat -v
at show 4096x4096 --db b.db --failed --format csv | tail -n 2 | cat -v
at dump --db b.db | grep -oE '"(device|log)":"[^"]*"' | sort -u | cat -v
# Nor by way of a file that is shown later: nothing but text is in it, and the device's name is readable.
controls() { LC_ALL=C grep -cP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]' "$1"; }
for format in cu json ptx; do
  "$AUTOTUNE" export 4096x4096 --db b.db --format "$format" >b.out 2>b.err </dev/null || cat b.err
  controls b.out
done
"$AUTOTUNE" export 4096x4096 --db b.db </dev/null | grep -E '^// (copy ceiling|transpose)' | cat -v
at report --db b.db -o b.html
controls b.html
at query "$(printf '4096x\033[31m4096')" --db b.db | cat -v
at "$(printf 'qu\033[31mery')" | cat -v
# In a name that is part of a key it is refused.
sed -e 's/"template":"tile"/"template":"ti\\u001b[31mle"/' a.jsonl >c.jsonl
at merge c.db c.jsonl | cat -v
