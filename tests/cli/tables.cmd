# The tables in the transposes' page are those of the winners that ship.
command -v python3 >/dev/null || skip "no Python"
export PYTHONDONTWRITEBYTECODE=1
root=$DATA/../..
"$AUTOTUNE" merge winners.db "$root/db/winners/h200.jsonl.gz" --quiet
"$root/tools/tables" winners.db --shapes "$DATA/shapes_table.txt" >tables || echo "exit $?"
grep -cE '^\| [0-9x]+ \| [0-9]' tables
grep '^|' tables | grep -Fxv -f "$root/templates/transpose/README.md" -f "$root/templates/transpose/classes.md"
echo 'all of it is on the pages of templates/transpose; where nothing has won:'
"$AUTOTUNE" dump --db winners.db --op copy -o none.jsonl && "$AUTOTUNE" merge none.db none.jsonl --quiet
"$root/tools/tables" none.db --shapes "$DATA/shapes_table.txt" | sed -n '1p;3p;14,$p'
