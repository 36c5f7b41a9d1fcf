# Examples of own kernels: everything compiles, nothing spills. Of sizes that no tile divides, which need the most code.
need_nvrtc
examples=$DATA/../../tools/examples
check() {
  at check "$1" --templates "$examples" --shape "$2" --dtype "$3" --sample 1 --seed 5 --arch 90 | sed "s#$examples#EXAMPLES#g" |
    awk '/^\$/ { print } /^sm_/ && $5 ~ /^[0-9]+$/ { print $2, $3, $4, "failed", $7, "spills", $NF } /^\[exit/ { print }'
}
check sgemm 333x444x555 f32
check convolution 333x445 f32
check stencil 333x445x8 f32
check histogram 1000 u8
check histogram 4096x100000003 i32
check small_gemm 24x24x24 f32
check small_gemm 45x4x9 f64
