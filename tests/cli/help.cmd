# Lists the commands, and what `explain` and the others take.
at
at --version
at tune --help
at query --help
at export --help
at show --help
at list --help
at space --help
at check --help
at run --help
at adopt --help
at cache --help
at import --help
at merge --help
# `help COMMAND` is `COMMAND --help`.
at help dump
at help tun
for c in $("$AUTOTUNE" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  cmp <("$AUTOTUNE" help "$c") <("$AUTOTUNE" "$c" --help) || echo "$c differs"
  "$AUTOTUNE" help "$c" | awk -v c="$c" 'length > 114 { print c ": too wide: " $0 }'
done
