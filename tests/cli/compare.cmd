fixture a.db
at dump --db a.db -o a.jsonl
sed 's/3\.6e-05/4.2e-05/g' a.jsonl >b.jsonl
at compare a.db a.jsonl
at compare a.db a.jsonl --all
at compare a.db b.jsonl --format json
at compare a.db b.jsonl --format csv
at compare b.jsonl a.db
at compare a.db b.jsonl --tolerance 25
at compare a.db
at compare a.db none.db
at compare a.db a.db --device A100
