# The built-in kernels and the examples, run on the CPU: nothing is found, and all are understood.
need_nvrtc
at check copy transpose cast_transpose gather_rows scatter_rows permute --execute --sample 2 | sed -E 's/: [0-9]+ configurations? of [0-9]+ problems?/:/'
on() {
  op=$1 shape=$2
  shift 2
  at check "$op" --execute "$@" --sample 1 --shape "$shape" | sed -E 's/: [0-9]+ configurations? of [0-9]+ problems?/:/'
}
on argmax 4099
on rmsnorm 3x1000,5x8000
on softmax 3x1000,5x8000,3x1001
on sum 4099
example() { on "$@" --templates "$DATA/../../tools/examples"; }
example convolution 33x31
example histogram 4099
example sgemm 65x33x20
example stencil 36x20x5,36x20x1
