# A date that is yet to come: told, and never a reason to be the newest.
fixture a.db
at dump --db a.db -o a.jsonl
sed -E 's/"measured_at":"[^"]*"/"measured_at":"2999-01-01T00:00:00Z"/; s/"median_s":3.6e-05/"median_s":1.2e-05/' a.jsonl >late.jsonl
at merge late.db late.jsonl
at query 4096x4096 --db late.db
at query 4096x4096 --db late.db --format csv
at show 4096x4096 --db late.db --top 1
at merge late.db a.jsonl
at query 4096x4096 --db late.db --format csv
at merge a.db late.jsonl
at query 4096x4096 --db a.db --format csv
