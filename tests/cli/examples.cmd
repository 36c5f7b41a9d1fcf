# Examples of own kernels: everything compiles, nothing spills.
"$AUTOTUNE" check --only tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
examples=$DATA/../../tools/examples
check() {
  at check "$1" --templates "$examples" --shape "$2" --dtype f32 --sample 1 --arch 90 | sed "s#$examples#EXAMPLES#g" |
    awk '/^\$/ { print } /^sm_/ && $5 ~ /^[0-9]+$/ { print $3, $4, "failed", $7, "spills", $NF } /^\[exit/ { print }' | sed "s#$examples#EXAMPLES#g"
}
check sgemm 1024x1024x1024,333x444x555
check convolution 2048x2048,333x445
check stencil 2048x2048x4,333x445x8
