# A pack for readers: which kernel takes which sizes, and what it is expected to lose.
need_nvrtc
at pack transpose u8 --sizes 'rows=1..512 cols=1..512' --kernels 2 --problems 40 --device H200 -o . >/dev/null
# What follows from the choice is in unit.pack: here its lines.
at explain --pack transpose_u8.json | sed -E 's/[0-9]+[.][0-9] %/P %/g; s/^  [A-H] .*/  KERNEL/; s/^( +[0-9]+) [A-H.]+$/\1 MAP/; s/ of [0-9]+$/ of N/; s/^ +P % .*/  SPOT/' | uniq
at explain --pack transpose_u8.json 4096x4096
at explain --pack nothing.json
at report --pack transpose_u8.json -o page.html
grep -c '<svg' page.html
grep -o '<h[123]>[^<]*' page.html
at report --pack transpose_u8.json -o transpose_u8.json
at report --pack transpose_u8.json --before old.db
at report --pack transpose_u8.json --op transpose --db a.db
at explain --pack transpose_u8.json --config "naive BLOCK_X=8"
