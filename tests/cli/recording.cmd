recordings=$DATA/../../db/recordings
"$AUTOTUNE" tune --device "replay:$recordings/h200.jsonl.gz" --shapes "$recordings/shapes.txt" --db r.db --strategy exhaustive --quiet 2>/dev/null >table || echo "exit $?"
awk 'NR > 1 { print $1, $2, $NF ~ /configurations/ ? "searched in part" : /\[replay\]/ ? "replayed" : "no winner" }' table
echo 'the default search ends by itself, and is not begun again:'
for run in 1 2; do
    "$AUTOTUNE" tune --device "replay:$recordings/h200.jsonl.gz" 4096x4096 f32 --db s.db --quiet 2>/dev/null | awk 'NR > 1 { print $1, $2, /from the store/ ? "from the store" : / of [0-9]+ configurations/ ? "searched in part" : "searched" }'
done
