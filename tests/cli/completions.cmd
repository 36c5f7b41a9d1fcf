completes() { AUTOTUNE=$AUTOTUNE bash -c 'source <("$AUTOTUNE" completions bash); COMP_WORDS=(autotune "$@"); COMP_CWORD=$#; _autotune; printf "%s\n" "${COMPREPLY[@]}"' - "$@"; }
completes que
completes query --form
completes query --format j
completes 4096x4096 --budg
completes export --tem
completes export --format ""
"$AUTOTUNE" completions zsh | grep -A2 '(cache)'
"$AUTOTUNE" completions fish | grep "from cache"
"$AUTOTUNE" completions man | sed -n '/^.SS cache/,/^.SS/p'
if command -v groff >/dev/null; then "$AUTOTUNE" completions man | groff -man -ww -z 2>&1; fi
if command -v mandoc >/dev/null; then "$AUTOTUNE" completions man | mandoc -T lint -W error 2>&1; fi
if command -v zsh >/dev/null; then "$AUTOTUNE" completions zsh | zsh -n; fi
if command -v fish >/dev/null; then "$AUTOTUNE" completions fish | fish -n; fi
at completions
at completions tcsh
