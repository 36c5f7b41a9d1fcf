at check transpose --template tile_rows --shape 64x64 --dtype f32 --sample 2 --arch sm_11 2>/dev/null
"$AUTOTUNE" check --template tile --shape 1x1 --dtype u8 --sample 1 >/dev/null 2>&1 || skip "there is no NVRTC here"
mkdir -p templates/copy
printf '/*!autotune\ntemplate bad # does not compile\nparam N = 1 2 # anything\ngrid 1\nblock 32\n*/\nextern "C" __global__ void copy_bad(T *out, const T *in, long long b, long long r, long long c)\n{\n    out[0] = inn[N];\n}\n' >templates/copy/bad.cu
at check copy --template bad --shape 64x64 --dtype f32 --templates templates
at check copy --template through_tile --shape 64x64 --dtype f32 --sample 2
