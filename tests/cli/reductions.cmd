# Built-in operations that go through rows, or through all there is: everything compiles, nothing spills.
need_nvrtc
check() {
  at check "$1" --shape "$2" --dtype "$3" --sample 1 --arch 90 |
    awk '/^\$/ { print } /^sm_/ { print $2, $3, $4, "failed", $7, "spills", $NF } /^\[exit/ { print }'
}
check softmax 4096x4096,100x65536 f32
check softmax 7x1001 bf16
check rmsnorm 4096x4096,100x65536 f32
check rmsnorm 7x1001 bf16
check sum 1,100000003 f32
check sum 1000 i32
check argmax 1,1000,100000003 f32
