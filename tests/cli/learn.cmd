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
