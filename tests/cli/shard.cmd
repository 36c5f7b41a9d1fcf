fixture a.db
printf '4096x4096\n4096x4096 f64\n1000003x3 f16\n' >list.txt
at tune --device replay:a.db --shapes list.txt --shard 1/2 --quiet --db 1.db
at tune --device replay:a.db --shapes list.txt --shard 2/2 --quiet --db 2.db
at tune --device replay:a.db --shapes list.txt --shard 4/4 --db 4.db
at tune --device replay:a.db --shapes list.txt --shard 0/2
at merge all.db 1.db 2.db
at query 4096x4096 --db all.db --device replay
