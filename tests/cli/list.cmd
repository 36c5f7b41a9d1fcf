at list ops
"$AUTOTUNE" list strategies | grep -c '^exhaustive '
"$AUTOTUNE" list templates --op transpose | sed -n '/^transpose\/tile: /,/PAD/p'
at list ops --op copy --format json
"$AUTOTUNE" list templates --op copy --format json | grep -o '"name":"HINT"[^}]*}'
at list --format csv
at list --op sort
