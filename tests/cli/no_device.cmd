ldconfig -p | grep -q libcuda.so.1 && skip "there is a CUDA driver here"
at tune --device 0 4096x4096
at list devices
# A number is a GPU for commands that only read, too.
unset AUTOTUNE_NO_SHIPPED
fixture store.db
with_number() { "$AUTOTUNE" "$@" --device 0 >seen 2>&1; echo "$1: exit $?"; grep -o 'error: --device 0: no CUDA driver' seen; }
for command in query export explain; do with_number $command 4096x4096 f32; done
with_number show 4096x4096 f32 --db store.db
with_number dump --db store.db
with_number report --db store.db
with_number compare store.db store.db
