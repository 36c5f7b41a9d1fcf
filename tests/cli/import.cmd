at import "$DATA/import/scale_t1.json" --print
at import "$DATA/import/scale_cache.json" "$DATA/import/scale_t1.json" --db a.db
gzip -c "$DATA/import/scale_t4.json" >t4.json.gz
at import t4.json.gz "$DATA/import/scale_t1.json" --db b.db --quiet
at import t4.json.gz "$DATA/import/scale_t1.json" --db a.db --quiet
at tune --device replay:a.db --op scale 1024x512 --quiet
at tune --device replay:b.db scale 1024x512 --quiet --db c.db
at tune --device replay:a.db --op scale 2048x512 --quiet --db c.db
at space scale 1024x512 --device replay:a.db
at show scale 1024x512 --db a.db
at query scale 1024x512 --db c.db
at dump --db a.db --compact -o a.jsonl
at tune --device replay:a.jsonl --op scale 1024x512 --quiet --db d.db
at import
at import none.json
at import "$DATA/import/scale_t1.json"
at import "$DATA/import/scale_cache.json" --name transpose
at import "$DATA/import/scale_cache.json" --name Bad
at dump --db b.db --format t4
at dump --db b.db --format xml
at import "$DATA/import/scale_cache.json" --db two.db --quiet
at import "$DATA/import/scale_cache.json" --db two.db --quiet --device 'Other GPU'
at tune --device 'replay:two.db@other' --op scale 1024x512 --quiet --db e.db
at query scale 1024x512 --db e.db
at tune --device 'replay:two.db@third' --op scale 1024x512 --quiet
at import "$DATA/import/scale_cache.json" --db two.db --quiet --device 0
