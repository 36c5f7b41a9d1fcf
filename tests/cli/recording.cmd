recordings=$DATA/../../db/recordings
"$AUTOTUNE" tune --device "replay:$recordings/h200.jsonl.gz" --shapes "$recordings/shapes.txt" --db r.db --strategy exhaustive --quiet 2>/dev/null >table || echo "exit $?"
awk 'NR > 1 { print $1, $2, $NF ~ /configurations/ ? "searched in part" : /\[replay\]/ ? "replayed" : "no winner" }' table
