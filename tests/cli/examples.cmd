# Examples of own kernels: everything compiles, nothing spills.
"$AUTOTUNE" check --only tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
examples=$DATA/../../tools/examples
check() {
  at check "$1" --templates "$examples" --shape "$2" --dtype "$3" --sample 1 --arch 90 | sed "s#$examples#EXAMPLES#g" |
    awk '/^\$/ { print } /^sm_/ && $5 ~ /^[0-9]+$/ { print $2, $3, $4, "failed", $7, "spills", $NF } /^\[exit/ { print }'
}
check sgemm 1024x1024x1024,333x444x555 f32
check convolution 2048x2048,333x445 f32
check stencil 2048x2048x4,333x445x8 f32
check histogram 1000,100000003 u8,i32
check histogram 4096x100000003 i32
check small_gemm 24x24x24,45x4x9 f32,f64
