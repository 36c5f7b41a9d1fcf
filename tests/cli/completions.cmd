completes() { AUTOTUNE=$AUTOTUNE bash -c 'source <("$AUTOTUNE" completions bash); COMP_WORDS=("$AUTOTUNE" "$@"); COMP_CWORD=$#; _autotune; printf "%s\n" "${COMPREPLY[@]}"' - "$@"; }
completes que
completes query --form
completes query --format j
completes 4096x4096 --budg
completes export --tem
completes export --format ""
"$AUTOTUNE" cache --help=options | tr '\t' '|'
# No description of a command has what a shell would take for its own.
"$AUTOTUNE" completions zsh | sed -n 's/^        "[a-z]*:\(.*\)"$/\1/p' | grep '[][:"`$\\]'
"$AUTOTUNE" completions zsh | grep -c '^        "[a-z]*:.*"$'
"$AUTOTUNE" completions man | sed -n '/^.SS cache/,/^.SS/p'
if command -v groff >/dev/null; then "$AUTOTUNE" completions man | groff -man -ww -z 2>&1; fi
if command -v mandoc >/dev/null; then "$AUTOTUNE" completions man | mandoc -T lint -W error 2>&1; fi
if command -v zsh >/dev/null; then
  "$AUTOTUNE" completions zsh >autotune.zsh # what it asks zsh's own function to offer
  AUTOTUNE=$AUTOTUNE zsh -c '_arguments() { print -l -- "$@" }; words=($AUTOTUNE query --f) CURRENT=3; source ./autotune.zsh' |
    grep -c '^\*--format=\[.*\]:value:(text json csv)$\|^\*--templates=\[.*\]:DIR:_files -/$\|^\*--exact\[.*\]$' | sed '/^3$/d'
fi
if command -v fish >/dev/null; then "$AUTOTUNE" completions fish | fish -n; fi
offers() { # by fish, where there is one
  command -v fish >/dev/null || return 0
  "$AUTOTUNE" completions fish >autotune.fish
  PATH=$(dirname "$AUTOTUNE"):$PATH fish -c "source autotune.fish; complete -C '$1'" | cut -f 1 | sort | grep "$2" >/dev/null || echo "fish has nothing for $1"
}
offers 'autotune que' '^query$'
offers 'autotune query --form' '^--format$'
offers 'autotune query --format j' '^json$'
offers 'autotune 4096x4096 --budg' '^--budget$'
at completions
at completions tcsh
