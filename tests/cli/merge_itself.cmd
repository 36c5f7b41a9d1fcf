# A database is among its own sources, as in `merge all.db *.db`, under whatever name.
fixture all.db
cp all.db other.db # one that was made a second later would have newer trials
"$AUTOTUNE" dump --db all.db -o before
ln -s all.db link.db
ln all.db hard.db
at merge all.db all.db other.db
at merge all.db link.db ./hard.db "$PWD/all.db"
at merge link.db all.db
touch all.db-shm
at merge all.db all.db-shm
at merge link.db other.db ./all.db-wal
"$AUTOTUNE" dump --db all.db | cmp before - && echo same
# What is read from a pipe is read once.
timeout 300 "$AUTOTUNE" merge --quiet piped.db <(cat before) && "$AUTOTUNE" dump --db piped.db | cmp before - && echo same
