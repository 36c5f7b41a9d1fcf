# Whoever looks at the user's templates (--templates) looks at the user's folders of headers, and so does adopt.
echo '# without --headers:' $(for command in $("$AUTOTUNE" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'); do
  page=$("$AUTOTUNE" "$command" --help)
  if [[ $page == *--templates* && $page != *--headers* ]]; then echo "but it has --templates: $command"; fi
  [[ $page == *--headers* ]] || echo "$command"
done)
fixture test.db
mkdir kernels inc
printf '4096x4096 f32\n' >shapes
printf '__global__ void k(float *out) {}\n' >kernels/k.cu
told() { "$AUTOTUNE" "$@" >said 2>&1 </dev/null; printf '%-9s exit %d: %s\n' "$1" $? "$(head -1 said)"; }
all() {
  told tune 4096x4096 f32 --device 0 --db new.db "$@"
  told query 4096x4096 f32 --db test.db "$@"
  told export 4096x4096 f32 --db test.db "$@"
  told show 4096x4096 f32 --db test.db "$@"
  told verify 4096x4096 f32 --db test.db "$@"
  told report --db test.db -o page.html "$@"
  told list templates "$@"
  told space 4096x4096 f32 "$@"
  told check --shape 4096x4096 --dtype f32 "$@"
  told run 4096x4096 f32 --config tile "$@"
  told explain 4096x4096 f32 --db test.db "$@"
  told adopt kernels/k.cu -o draft "$@"
  told dump --db test.db --shapes shapes "$@"
  told learn --db test.db -o model "$@"
}
echo '# by the option, whatever the variable says:'
AUTOTUNE_HEADERS=inc all --headers none
echo '# by the variable:'
AUTOTUNE_HEADERS=inc:none all
echo '# written:' $(ls -d *.db *.html draft model 2>/dev/null)
echo '# the others do not ask:'
export AUTOTUNE_HEADERS=none
told compare test.db test.db
told merge merged.db test.db
told cache
told import nothing.json
told completions bash
