# What a killed merge leaves beside its database goes when the next one begins; what another one is writing stays.
fixture a.db
"$AUTOTUNE" dump --db a.db -o a.jsonl
mkfifo first second
files() { find . -name 'new.db*' | sed -E 's/[0-9]+-[0-9]+/PROCESS/' | sort; }
# Runs a merge up to where it waits for more of its pipe.
begin() { # PIPE DESCRIPTOR
  "$AUTOTUNE" merge new.db "$1" &
  merge=$!
  eval "exec $2>$1"
  until ls new.db.autotune-"$merge"-*-db >ls.out 2>&1; do kill -0 "$merge" || break; done
}
begin first 3
killed=$merge
begin second 4
kill -9 "$killed"
wait "$killed" 2>wait.err
exec 3>&-
files
cat a.jsonl >&4
# A third one, while the second waits.
at merge new.db a.jsonl
files
exec 4>&-
wait "$merge" && echo "the second ended well"
files
# Into a database that is there already.
begin first 3
kill -9 "$merge"
wait "$merge" 2>wait.err
at merge new.db a.db
files
