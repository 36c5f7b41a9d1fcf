# Pipes where a file is expected. One that nobody writes into is refused, not waited for; what a user hands over by
# <(...) or on stdin works.
printf '#!/bin/sh\nexec timeout 300 "%s" "$@"\n' "$AUTOTUNE" >limited
chmod +x limited
AUTOTUNE=$PWD/limited
mkfifo p p.cu
mkdir -p templates/copy common/copy common/common
mkfifo templates/copy/p.cu common/common/p.cuh
for command in query show export; do
  at "$command" 64x64 --db p
done
for command in dump report learn; do
  at "$command" --db p
done
at compare p p
at tune 64x64 --jobs 1 --device replay:p
at adopt p.cu
at list templates --templates templates
at list templates --templates common
AUTOTUNE_CACHE=$PWD/p at cache
# A model beside a database.
fixture store.db
mkfifo store.db-model
at query 4096x4097 --db store.db | head -n 2
echo '64x64 f32' >shapes
at query --db store.db 4096x4096 f32 | head -n 1
"$AUTOTUNE" tune --shapes <(cat shapes) --device replay:store.db 2>&1 | head -n 2
"$AUTOTUNE" tune --shapes - --device replay:store.db 2>&1 <shapes | head -n 2
at dump --db store.db -o store.jsonl
at merge new.db <(cat store.jsonl) | sed 's#/dev/fd/[0-9]*#PIPE#'
