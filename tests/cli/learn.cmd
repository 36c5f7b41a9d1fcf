# A model of what was measured: of too little nothing is learned.
at learn
at learn --db nowhere.db
fixture store.db
at learn --db store.db
ls store.db-model 2>/dev/null
at query 3000x5000 f32 --db store.db | grep -o 'near match\|predicted match'
# A file that is no model is left out, and the answer says so.
echo none > store.db-model
at query 3000x5000 f32 --db store.db | grep -o 'near match\|its model is left out'
rm store.db-model
at learn --help | head -n 3
# Of two databases one is missing; of another nothing was written yet.
at learn --db store.db more.db
: >empty.db
at learn --db empty.db
# Where the model cannot be written.
"$AUTOTUNE" merge won.db "$DATA/../../db/winners/h200.jsonl.gz" --quiet
mkdir folder
at learn --db won.db --no-shipped -o folder/none/model
at learn --db won.db --no-shipped -o folder
ls folder
# It is said at once, not when all is learned; and what is read is not written over.
at learn --db store.db -o folder/none/model
at learn --db won.db -o won.db
at learn won.db --db store.db -o won.db
cp won.db link_to.db && ln -sf link_to.db linked
at learn --db link_to.db -o linked
# A model for other programs has what the shipped one knows of other operations; other programs need not have that one.
at learn --db won.db --whole --no-shipped
at learn --db won.db --leaves 65
# Smaller trees, a smaller file.
for leaves in 64 4; do
  "$AUTOTUNE" learn --db won.db --no-shipped --leaves $leaves -o "leaves$leaves" >/dev/null
done
(($(wc -c <leaves4) < $(wc -c <leaves64))) && echo smaller
"$AUTOTUNE" merge rows.db "$DATA/../../db/winners/h200_serving.jsonl.gz" --quiet
for whole in '' --whole; do
  AUTOTUNE_NO_SHIPPED='' "$AUTOTUNE" learn --db rows.db $whole >/dev/null 2>&1
  echo "learn $whole: $("$AUTOTUNE" query 3000x5000 f32 --device H200 --db rows.db --no-shipped 2>/dev/null | grep -c 'predicted match')"
done
