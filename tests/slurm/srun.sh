#!/usr/bin/env bash
# `srun` on a real Slurm, each task a rank of one autotune: srun.sh AUTOTUNE SOURCE. Started by `cluster`. Needs the
# module for MPICH, which Slurm's pmi2 serves.
set -euo pipefail
autotune=$1
source=$2
[[ -e $(dirname "$autotune")/autotune-mpi-mpich.so ]] || { echo 'skipped: no MPICH (Debian: libmpich-dev)' >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CACHE_HOME=$work/cache
export ASAN_OPTIONS=detect_leaks=0 # MPIs keep what they allocate
unset AUTOTUNE_DB AUTOTUNE_CACHE AUTOTUNE_MPI
fail() { echo "failed: $*" >&2; cat "$work"/*.err >&2; exit 1; }

"$autotune" merge "$work/recording.db" "$source/db/recordings/h200.jsonl.gz" >"$work/merge.txt" 2>"$work/merge.err"
tune=("$autotune" tune --device "replay:$work/recording.db?pace=4" --shapes "$source/db/recordings/shapes.txt"
  --strategy random --max-trials 40)
winners() { grep '\[replay\]' "$1" | sort; }

"${tune[@]}" --db "$work/alone.db" >"$work/alone.txt" 2>"$work/alone.err"
[[ $(winners "$work/alone.txt" | wc -l) == 14 ]] || fail 'one process alone'

srun --mpi=pmi2 -N 3 -n 3 "${tune[@]}" --db "$work/ranks.db" >"$work/ranks.txt" 2>"$work/ranks.err" || fail 'srun'
for rank in 'rank 0 on n1: 1 device' 'rank 1 on n2: 1 device' 'rank 2 on n3: 1 device'; do
  grep -q "$rank" "$work/ranks.err" || fail "no line '$rank'"
done
diff <(winners "$work/alone.txt") <(winners "$work/ranks.txt") || fail 'three ranks found something else than one process'

# Without MPI between the tasks they are told so, once.
srun --mpi=none -N 3 -n 3 "${tune[@]}" --db "$work/none.db" >"$work/none.txt" 2>"$work/none.err" && fail '--mpi=none'
[[ $(grep -c 'srun started 3 processes without MPI between them; expected --mpi=pmi2 or --mpi=pmix' "$work/none.err") == 1 ]] ||
  fail 'what is said of --mpi=none'

# A task is killed: Slurm ends the step, what was stored stays, the same command goes on.
# It has forty times as long as the others, and its rank is looked for first: all that takes a while on a busy machine.
srun --mpi=pmi2 --kill-on-bad-exit=1 -N 3 -n 3 "${tune[@]/pace=4/pace=0.1}" --db "$work/killed.db" >"$work/killed.txt" 2>"$work/killed.err" &
step=$!
rank='' stored=0
while [[ ! $rank ]] && kill -0 $step; do
  for pid in $(pgrep -f -- "--db $work/killed.db"); do
    grep -qzx 'PMI_RANK=2' "/proc/$pid/environ" 2>/dev/null && [[ $(readlink "/proc/$pid/exe") == "$autotune" ]] && rank=$pid
  done
  sleep 0.05
done
[[ $rank ]] || fail 'no rank 2 to be killed'
while ((stored <= 100)) && kill -0 $step; do
  stored=$(sqlite3 "$work/killed.db" 'SELECT count(*) FROM trial' 2>/dev/null || echo 0)
  sleep 0.05
done
kill -KILL "$rank" || fail 'the run has ended before rank 2 was killed'
wait "$step" && fail 'a killed rank was not noticed'
kept=$(sqlite3 "$work/killed.db" 'SELECT count(*) FROM trial')
((kept >= stored && stored > 100)) || fail "$stored trials were stored, $kept are left"
srun --mpi=pmi2 -N 3 -n 3 "${tune[@]}" --db "$work/killed.db" >"$work/again.txt" 2>"$work/again.err" || fail 'the same command again'
diff <(winners "$work/alone.txt" | sed 's/ *\[.*//') <(winners "$work/again.txt" | sed 's/ *\[.*//') || fail 'after a kill'
echo "srun: three ranks on three nodes found what one process finds, also after one was killed with $kept trials stored"
