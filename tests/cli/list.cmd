at list ops
"$AUTOTUNE" list strategies | grep -c '^exhaustive '
"$AUTOTUNE" list templates --op transpose | sed -n '/^transpose\/tile: /,/PAD/p'
