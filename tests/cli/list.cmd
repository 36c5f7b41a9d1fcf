at list ops
"$AUTOTUNE" list strategies | grep -c '^exhaustive '
"$AUTOTUNE" list templates --op transpose | sed -n '/^transpose\/tile: /,/PAD/p'
at list ops --op copy --format json
"$AUTOTUNE" list templates --op copy --format json | grep -o '"name":"HINT"[^}]*}'
at list --format csv
at list --op sort
at list copy
at list copy/linear
"$AUTOTUNE" list transpose/strips | tail -n 1
at list copy/lunar
at list copy transpose
at list copy/linear --format json | tr ',' '\n' | grep -c '"op"'
"$AUTOTUNE" list | awk 'length > 80 { wide++ } END { print (NR <= 24 && !wide ? "fits a screen" : NR " lines, " wide " wider") }'
"$AUTOTUNE" list | sed -n '/^transpose/,$p'
