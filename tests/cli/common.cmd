# Code that templates share: tests/data/templates/transpose/shared.cu takes a file of its folder and a built-in one.
at space transpose 64x64 --only shared --templates "$DATA/templates"
mkdir -p dir/common dir/copy
printf '/*!autotune\ntemplate t\nuse indx\ngrid 1\nblock 32\n*/\nvoid copy_t();\n' >dir/copy/t.cu
at space copy 64 --templates dir
printf '/*!autotune\ntemplate t\nuse index a\ngrid 1\nblock 32\n*/\nvoid copy_t();\n' >dir/copy/t.cu
printf '/*!autotune\ncommon a # one\nuse index\nuse b\n*/\n' >dir/common/a.cuh
printf '/*!autotune\ncommon b # two\nuse a\n*/\n' >dir/common/b.cuh
at space copy 64 --templates dir
printf '/*!autotune\ncommon c\n*/\n' >dir/common/b.cuh
at space copy 64 --templates dir
printf 'int no_declaration;\n' >dir/common/b.cuh
at space copy 64 --templates dir
# The compiler's messages point into the file that is wrong.
need_nvrtc
printf '/*!autotune\ncommon b\n*/\n__device__ int wrong = nowhere;\n' >dir/common/b.cuh
printf '/*!autotune\ntemplate t\nuse b\ngrid 1\nblock 32\n*/\nextern "C" __global__ void copy_t() {}\n' >dir/copy/t.cu
rm dir/common/a.cuh
at check copy --only t --shape 64x64 --dtype f32 --templates dir --jobs 1
at check transpose --only shared --templates "$DATA/templates" --shape 64x64,65x63 --dtype f32 --jobs 1
