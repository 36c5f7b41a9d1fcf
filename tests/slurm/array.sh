#!/usr/bin/env bash
# The job array on a real Slurm, each task a replay of a recording: array.sh AUTOTUNE SOURCE. Started by `cluster`.
set -euo pipefail
export AUTOTUNE=$1
source=$2
recording=$source/db/recordings/h200.jsonl.gz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CACHE_HOME=$work/cache AUTOTUNE_SAVE=0.1
unset AUTOTUNE_DB AUTOTUNE_CACHE
fail() { echo "failed: $*" >&2; tail -n 20 "$work"/*/*.log >&2; exit 1; }

# What a database answers for each of the problems.
winners() {
  grep -v '^#' "$source/db/recordings/shapes.txt" | while read -r problem; do
    # shellcheck disable=SC2086
    "$AUTOTUNE" query $problem --db "$1" --no-shipped --device replay | sed -n '1p;/ template /p;/ configuration /p;/ tried /p'
  done
}
ended() { # JOBS. Where the controller does not answer, as when it is busy, that is not known.
  local left
  left=$(squeue -h -j "$1" 2>/dev/null) && [[ ! $left ]]
}
submit() { # to the end of both jobs
  local jobs
  read -r -a jobs <<<"$("$source/tools/slurm/submit" "$source/db/recordings/shapes.txt" 3 "$work/out" --cpus-per-task=1 -- \
    --device "replay:$recording" --strategy exhaustive --quiet)"
  [[ ${#jobs[@]} == 2 ]] || fail "submit printed: ${jobs[*]}"
  if [[ ${1:-} ]]; then "$1" "${jobs[0]}"; fi
  for _ in $(seq 3000); do
    ended "${jobs[0]},${jobs[1]}" && return
    sleep 0.1
  done
  fail "the jobs did not end: $(squeue)"
}
kill_second() { # as soon as it has saved a trial
  until grep -qs '"kind":"trial"' "$work/out/part-2.jsonl" || ended "$1"; do sleep 0.05; done
  scancel --signal=KILL --full "$1_2" || true
}

"$AUTOTUNE" tune --device "replay:$recording" --shapes "$source/db/recordings/shapes.txt" --strategy exhaustive \
  --quiet --db "$work/alone.db" >"$work/alone.txt"
winners "$work/alone.db" >"$work/alone"
[[ $(grep -c 'exact match' "$work/alone") == 14 ]] || fail "one run alone: $(cat "$work/alone")"

submit kill_second
cp "$work/out/part-2.jsonl" "$work/killed.jsonl"
submit
winners "$work/out/all.db" >"$work/together"
diff "$work/alone" "$work/together" || fail "three parts found something else than one run"
diff <(winners "$work/out/all.db") <("$AUTOTUNE" merge "$work/again.db" "$work/out/all.jsonl" >/dev/null && winners "$work/again.db") ||
  fail "all.jsonl is not all.db"
# What the killed part had saved is part of what there is now.
"$AUTOTUNE" merge "$work/out/all.db" "$work/killed.jsonl" 2>&1 | grep -c '^0 of [1-9]' >"$work/count" || fail "a saved trial is lost"
echo "three parts, one of them killed, found what one run finds"
