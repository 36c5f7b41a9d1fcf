at check transpose --only tile_rows --shape 64x64 --dtype f32 --sample 2 --arch sm_11 2>/dev/null
need_nvrtc
mkdir -p templates/copy
printf '/*!autotune\ntemplate bad # does not compile\nparam N = 1 2 # anything\ngrid 1\nblock 32\n*/\nextern "C" __global__ void copy_bad(T *out, const T *in, long long b, long long r, long long c)\n{\n    out[0] = inn[N];\n}\n' >templates/copy/bad.cu
at check copy --only bad --shape 64x64 --dtype f32 --templates templates --jobs 1
at check copy --only bad --shape 64x64 --dtype f32 --templates templates --jobs 1 --format json
at check copy 64x64 f32 --only linear --sample 2
at check copy 64x6x f32
# Everything that is wrong is found before the first kernel is compiled.
at check --arch sm_75,foo
at check --shape 64x64,64x6x
at check --shape 1x2x3x4x5x6x7x8x9
at check --dtype f32,f99
at check copy --only tile
# An operation of its own, with one size and types that it computes with.
mkdir -p own/scale
printf '/*!autotune\nop scale # out[i] = in[i]\nshape n\ntype T = f16 f32\narg out T[n] output\narg in T[n] input\narg n i64\nreference scale_reference\nblock 256\ngrid 1\ncheck exact\ntraffic 2 * n * sizeof(T)\n*/\n/*!autotune\ntemplate one # for 64 numbers\nparam N = 1\nrequire n == 64 # no others\ngrid 1\nblock 32\n*/\nextern "C" __global__ void scale_reference(T *out, const T *in, long long n)\n{\n    out[0] = in[0];\n}\nextern "C" __global__ void scale_one(T *out, const T *in, long long n)\n{\n    out[0] = in[0];\n}\n' >own/scale/op.cu
"$AUTOTUNE" check scale --templates own 2>&1 | sed "/kernels a second/d" | cut -c1-40
"$AUTOTUNE" check scale --templates own --shape 64 --dtype f32 2>&1 | sed "/kernels a second/d" | cut -c1-40
at check scale --templates own --dtype u8 --shape 64
# Where no usual size is a multiple of the block, one that is.
mkdir -p own/whole
printf '/*!autotune\nop whole\nshape n\ntype T = f32\narg out T[n] output\nreference template one\ncheck exact\ntraffic n * 4\n*/\n/*!autotune\ntemplate one\nrequire n %% 32 == 0\ngrid n / 32\nblock 32\narg out\n*/\nextern "C" __global__ void whole_one(T *out)\n{\n    out[blockIdx.x * 32 + threadIdx.x] = 1;\n}\n' >own/whole/op.cu
"$AUTOTUNE" check whole --templates own 2>&1 | sed "/kernels a second/d" | cut -c1-60
# A file outside of the template's folder is named, not printed; see allow.cmd.
printf '/*!autotune\ntemplate leak\ngrid 1\nblock 32\n*/\n#include "/etc/passwd"\nextern "C" __global__ void copy_leak(T *out, const T *in, long long b, long long r, long long c) {}\n' >templates/copy/leak.cu
at check copy --only leak --shape 64x64 --dtype f32 --templates templates --jobs 1
# More shapes than there is room for, as values and as words, are refused: none is left out.
"$AUTOTUNE" check copy --only linear --dtype u8 --sample 1 --jobs 1 --shape 998,999 $(seq 1001 1063) 2>&1
printf '[exit %d]\n' $?
