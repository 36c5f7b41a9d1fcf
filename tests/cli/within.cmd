# Of few problems "95 of 100" would say too much.
at tune --device "replay:$DATA/../../db/recordings/h200.jsonl.gz" --shapes "$DATA/../../db/recordings/shapes.txt" --within 3% --db a.db | grep -o 'drawn at random.*lose\|in the mean, [a-z0-9 ]*most'
# No limit means none, though a population has one of its own.
at tune 4096x4096 u8 --device "replay:$DATA/../../db/recordings/h200.jsonl.gz" --tune-for 1m --max-trials 0 --json --db b.db | grep -q '"trials":[1-9][0-9][0-9],' && echo 'more than 20'
