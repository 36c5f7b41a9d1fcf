# Built-in operations that go through rows, or through all there is: everything compiles, nothing spills.
"$AUTOTUNE" check --only tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
check() {
  at check "$1" --shape "$2" --dtype "$3" --sample 1 --arch 90 |
    awk '/^\$/ { print } /^sm_/ { print $2, $3, $4, "failed", $7, "spills", $NF } /^\[exit/ { print }'
}
check softmax 4096x4096,100x65536,7x1001 f32
check softmax 4096x4096 bf16
check rmsnorm 4096x4096,100x65536,7x1001 f32
check rmsnorm 4096x4096 bf16
check sum 1,1000,100000003 f32,i32
check argmax 1,1000,100000003 f32
