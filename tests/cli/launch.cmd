# Launch geometry is computed from the template, not believed: a merged one is whatever somebody wrote.
fixture a.db
at dump --db a.db -o a.jsonl
sed -E 's/"grid_x":[0-9]+/"grid_x":7/; s/"block_x":[0-9]+/"block_x":1024/; s/"shared_bytes":0,"registers":32,"total/"shared_bytes":77777,"registers":32,"total/' a.jsonl >b.jsonl
grep -c '"grid_x":7,' b.jsonl
grep -c '"shared_bytes":77777,' b.jsonl
at merge b.db b.jsonl
at query 4096x4096 --db b.db | grep launch
at query 4096x4096 --db b.db --format json | grep -oE '"(grid|block)_[xyz]":[0-9]+|"dynamic_shared_bytes":[0-9]+'
at export 4096x4096 --db b.db | grep -E '<<<dim3|77777'
at export 4096x4096 --db b.db --format json | grep -oE '"(grid|block)_[xyz]":[0-9]+|"dynamic_shared_bytes":[0-9]+'
# A winner that tune answers with, without measuring again.
at tune --device replay:a.db 4096x4096 f32 --quiet --db r.db >/dev/null
at dump --db r.db -o r.jsonl
sed -i -E 's/"grid_x":[0-9]+/"grid_x":7/' r.jsonl
at merge s.db r.jsonl
at tune --device replay:a.db 4096x4096 f32 --quiet --db s.db --format json | grep -oE '"(from_store|grid_x)":[^,]*'
# What cannot be computed is said to be so.
sed -E 's/"template_hash":"[0-9a-f]{64}"/"template_hash":"x"/' a.jsonl >other.jsonl
at merge c.db other.jsonl
at query 4096x4096 --db c.db | grep -E 'out of date|launch'
