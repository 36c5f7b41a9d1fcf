# The built-in kernels and the examples, run on the CPU: nothing is found, and all are understood.
"$AUTOTUNE" check --only tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
at check copy transpose cast_transpose gather_rows scatter_rows permute --execute --sample 6 | sed -E 's/: [0-9]+ configurations? of [0-9]+ problems?/:/'
example() {
  at check "$1" --execute --templates "$DATA/../../tools/examples" --sample 2 --shape "$2" |
    sed -E 's/: [0-9]+ configurations? of [0-9]+ problems?/:/'
}
example argmax 4099
example convolution 33x31
example histogram 4099
example rmsnorm 3x1000,5x8000
example sgemm 65x33x20
example softmax 3x1000,5x8000
example stencil 36x20x5,36x20x1
example sum 4099
