# A search that ended by itself is not repeated on another machine of the same model; under another driver its winner is tried
# first.
command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
echo '4096x4096 f32' >few.txt
"$AUTOTUNE" merge all.db "$DATA/../../db/recordings/h200.jsonl.gz" --quiet
"$AUTOTUNE" dump --db all.db --compact --shapes few.txt -o few.jsonl # is read seven times
device=replay:few.jsonl
tune() {
  "$AUTOTUNE" tune --device "$device" --quiet --format json 4096x4096 f32 "$@" 2>/dev/null |
    sed -E 's/.*"template":"([a-z_]+)".*"config":"([^"]+)".*"trials":([0-9]+).*"from_store":([a-z]+).*/\4 \1 \2 \3/'
}
tune --db there.db >there
"$AUTOTUNE" dump --db there.db -o there.jsonl
grep -v '"kind":"trial"' there.jsonl >winners.jsonl
"$AUTOTUNE" dump --db there.db --compact -o compact.jsonl
for from in there.db there.jsonl winners.jsonl compact.jsonl; do
  rm -f here.db*
  "$AUTOTUNE" merge here.db $from --quiet
  tune --db here.db >here
  echo "$from: known: $(cut -d ' ' -f 1 here), the same winner: $(cmp -s <(cut -d ' ' -f 2- there) <(cut -d ' ' -f 2- here) && echo yes)"
done
echo 'on to a third machine, from the second; merged twice:'
"$AUTOTUNE" merge third.db here.db here.db there.db --quiet
tune --db third.db | cut -d ' ' -f 1
sqlite3 third.db "SELECT count(*) FROM winner WHERE run_id IS NOT NULL; SELECT command, strategy FROM run"
echo 'under another driver:'
sqlite3 here.db "UPDATE fingerprint SET driver = 'another'"
tune --db here.db --max-trials 1 | cut -d ' ' -f 1
sqlite3 here.db "SELECT 'tried: ' || count(*) || ', the winner of the other driver: ' || sum((template, config) IN
  (SELECT template, config FROM winners_all WHERE op = 'transpose' AND driver = 'another'))
  FROM trials_all WHERE op = 'transpose' AND driver <> 'another'"
