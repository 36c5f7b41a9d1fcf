# Of few problems "95 of 100" would say too much.
at tune --device "replay:$DATA/../../db/recordings/h200.jsonl.gz" --shapes "$DATA/../../db/recordings/shapes.txt" --within 3% --db a.db | grep -o 'drawn at random.*lose\|in the mean, [a-z0-9 ]*most'
