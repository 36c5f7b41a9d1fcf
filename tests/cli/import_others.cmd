# Tables and files of other tuners: the configurations and times of each.
at import "$DATA/import/table.csv" "$DATA/import/lines.jsonl" "$DATA/import/matmul_kernel.autotune.json" "$DATA/import/ktt.json" "$DATA/import/clblast.json" --db all.db
at import "$DATA/import/table.csv" --print
at show table 1 --db all.db
at show table 1 --db all.db --failed
at show matmul_kernel 1 --db all.db
at show matmul_kernel 1 --db all.db --failed
at show scale 1 --db all.db
at show scale 1 --db all.db --failed
at show xgemm_1 1024x1024x1024 --db all.db
at tune --device replay:all.db --op xgemm_1 1024x1024x1024 --quiet --db tuned.db
# A semicolon separates, a line is of Windows, a number is beside a word, two times in one row: the first counts.
printf '\xef\xbb\xbfBLOCK;MODE;time [ns];time_ms\r\n32;1;1500;7\r\n64;"a b";2500;7\r\n' >table2.csv
at import table2.csv --db two.db --quiet
at show table2 1 --db two.db
# All cells in quotes, blanks around them, a name over two lines; a parameter that is called like a unit.
printf '"BLOCK", "S" ,"time_\302\265s","the\nrest"\n"32","3", "1.5" ,"x\ny"\n"64","2","2.5",\n' >quoted.csv
at import quoted.csv --db quoted.db --quiet
at show quoted 1 --db quoted.db
# A device of somebody else's is one word of the command that is shown.
at import table2.csv --db two.db --device "x' ; echo 'y"
# What is none, and which column or command is missing.
printf 'BLOCK,time\n32,1.5\n' >no_unit.csv
at import no_unit.csv --db none.db
printf 'BLOCK,time_ms\n32\n' >short.csv
at import short.csv --db none.db
printf '\n\nOPT,time_ms\n"a\nb",1\n32\n' >later.csv
at import later.csv --db none.db
printf 'BLOCK,time_ms\n32,1.5\n64,"2.5\n128,3.5\n' >open.csv
at import open.csv --db none.db
printf 'BLOCK;time_ms\n32;1,5\n' >comma.csv
at import comma.csv --db none.db
printf 'BLOCK,MODE,time_ms\n32,a,1\n64,b,"2,5"\n' >cell.csv
at import cell.csv --db none.db
# What failed has no time, whatever its row says.
printf 'BLOCK,time_ms,status\n32,1.5,ok\n64,0.5,FAILED (wrong result)\n128,0.25,0 errors\n256,0.2,no error\n512,0.1,Compile error\n768,0.3,0 failed\n' >status.csv
at import status.csv --db status.db
at show status 1 --db status.db
printf 'BLOCK,time_ms\n32,1.5\n\0' >zero.csv
at import zero.csv --db none.db
printf '{"BLOCK":32,"time_ms":1}\n{"BLOCK":32,"PAD":1,"time_ms":2}\n' >more.jsonl
at import more.jsonl --db none.db
printf 'BLOCK,time_ms\n' >empty.csv
at import empty.csv --db none.db
printf 'time_ms,BLOCK\n1.5,32\n' >first.csv
at import first.csv --db none.db
printf 'OPT,time_ms\n"a,b",1\n"a.b",2\n' >alike.csv
at import alike.csv --db none.db
echo '<Metadata/>' >results.xml
at import results.xml --db none.db
at import all.db --db none.db
at dump --db all.db -o all.jsonl
at import all.jsonl --db none.db
echo hello >words.txt
at import words.txt --db none.db
echo '{"a": 1}' >other.json
at import other.json --db none.db
