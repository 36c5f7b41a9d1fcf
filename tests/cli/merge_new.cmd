# A database that is not there yet is there with everything or not at all; what others stored meanwhile stays.
umask 022
fixture a.db
"$AUTOTUNE" dump --db a.db -o a.jsonl
{ cat a.jsonl; for _ in {1..300}; do grep '"kind":"trial"' a.jsonl; done; } >long.jsonl
mkfifo pipe
# Returns when most of it is read: a pipe does not hold so much.
begin() { "$AUTOTUNE" merge "$@" <pipe >first 2>&1 & first=$!; exec 3>pipe; cat long.jsonl >&3; }
finish() { exec 3>&-; wait "$first"; echo "[exit $?]"; cat first; }
kept() { "$AUTOTUNE" dump --db "$1" | grep -c '"kind":"trial"'; }

# The second has the file open, and is done or waits, when the first fails.
begin new.db -
"$AUTOTUNE" merge --quiet new.db a.jsonl & second=$!
while [[ -d /proc/$second ]] && ! readlink /proc/$second/fd/* | grep -q 'new\.db'; do :; done
echo garbage >&3
finish
wait "$second"; echo "[exit $?]"
kept new.db

# Both succeed, and one adds to what the other made.
begin both.db -
at merge both.db a.jsonl
finish
kept both.db

# Nobody waits for a pipe.
begin both.db -
at merge both.db a.jsonl
finish

# Ctrl-C ends it, though nothing comes through the pipe, nor an end.
begin none.db -
kill -INT "$first"
wait "$first"; echo "[exit $?]"; cat first; exec 3>&-
mkfifo shapes
"$AUTOTUNE" tune --shapes shapes >first 2>&1 & first=$!
exec 3>shapes
kill -INT "$first"
wait "$first"; echo "[exit $?]"; cat first; exec 3>&-
begin both.db -
kill -INT "$first"
finish
kept both.db
at merge none.db a.jsonl no-such-file

# A link to a file that is not there, and a log that was left behind, are no reason to lose anything.
ln -s deep.db link.db
at merge link.db a.jsonl
kept deep.db
head -c 5000 a.db >left.db-wal
at merge left.db a.jsonl
kept left.db
at merge some/folder/x.db a.jsonl
ls -d ./*none* ./*.new some/folder/* 2>/dev/null; stat -c %A both.db
