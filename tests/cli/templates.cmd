mkdir -p dir/copy
bad() { printf '%s\n' "$@" >dir/copy/bad.cu; at space copy 64 --only bad --templates dir; }
bad '/*!autotune' 'template bad' 'param N =' 'grid 1' 'block 32' '*/' 'void copy_bad();'
bad '/*!autotune' 'template bad' 'param N = 1' 'require N / 0' 'grid 1' 'block 32' '*/' 'void copy_bad();'
bad '/*!autotune' 'template bad' 'param N = 1' 'require M == 1' 'grid 1' 'block 32' '*/' 'void copy_bad();'
bad '/*!autotune' 'template bad' 'param threadIdx = 1' 'grid 1' 'block 32' '*/' 'void copy_bad();'
bad '/*!autotune' 'template bad' 'param N = 1' 'grid 1' 'block 32'
bad '/*!autotune' 'template bad' 'param N = 1' 'grid 1' 'block 32' '*/' 'void other();'
at space copy 64 --templates nowhere
