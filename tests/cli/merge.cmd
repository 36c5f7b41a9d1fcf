fixture a.db
at dump --db a.db --compact -o a.jsonl
gzip -k a.jsonl
at merge b.db a.jsonl.gz
at merge b.db a.jsonl a.db
at query 4096x4096 --db b.db
at merge c.db none.jsonl
at merge c.db
echo 'no dump' >text
at merge c.db a.db text
head -c 300 a.jsonl.gz >cut.gz
at merge c.db cut.gz
at dump --db none.db
at dump --db a.db -o none/x.jsonl
at dump --db a.db --compact --device A100
printf '4096x4096 f16\n' >other.txt
at dump --db a.db --compact --shapes other.txt
at dump --db a.db --best 1 --format t4
at dump --db a.db --format t4
at dump extra
