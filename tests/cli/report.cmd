fixture a.db
at report --db a.db -o a.html
grep -c '<details' a.html
grep -o '>Failures<\|3 trials stored' a.html
at report --db a.db --device A100
at report --db none.db
at report a.db
at report --db a.db -o none/a.html
at report --db a.db --front time,energy_j -o a.html
grep -o 'No trial has all figures of the front' a.html
at report --db a.db --front time,speed
at report --pack x.json --before a.db
at report --pack x.json --op transpose
