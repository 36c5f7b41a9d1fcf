# Every template's kernel for every element size is exported; nvcc takes some of them, without a word, and links two of
# one template into a program.
"$FIXTURE" store.db every >list || exit 1
n=0
while read -r op shape type device; do
  n=$((n + 1))
  "$AUTOTUNE" export "$op" "$shape" "$type" --device "$device" --db store.db -o "$n.cu" || exit 1
  case $op in silu_mul_quant|rmsnorm_quant) continue ;; esac # a kernel validates them, which a self-test cannot
  "$AUTOTUNE" export "$op" "$shape" "$type" --device "$device" --db store.db --main -o "main$n.cu" || exit 1
done <list
nvcc --version >/dev/null 2>&1 || skip "nvcc does not run here"
compile() { nvcc -std=c++17 -arch=sm_90 -Xcompiler -Wall -c "$@" 2>&1 || echo "nvcc refuses $1: $(sed -n 4,6p "$1")"; }
line() { grep -nF -- "$1" list | cut -d: -f1 | head -n 1; }
one=$(line 'f32 [tile_vec]') other=$(line 'u8 [tile_vec]')
compile "main$one.cu" -o one.o
compile "$other.cu" -o other.o
nvcc -arch=sm_90 one.o other.o -o both && echo linked
nvcc -std=c++17 -arch=sm_90 -ptx "main$one.cu" -o main.ptx && grep -q applypriority.global.L2::evict_normal main.ptx &&
  nvcc -std=c++17 -arch=sm_75 -Xcompiler -Wall -ptx "main$one.cu" -o older.ptx && ! grep -q applypriority older.ptx &&
  echo "lines that a kernel keeps in the L2 are made ordinary, where a GPU can"
# Of the others only the part of the device differs, which -ptx compiles alone: PAD is no constant of this kernel;
# conversions with CUDA's own functions where there are no instructions.
nvcc -std=c++17 -arch=sm_90 -Xcompiler -Wall -ptx "$(line 'f32 [packed]').cu" -o packed.ptx 2>&1
nvcc -std=c++17 -arch=sm_80 -Xcompiler -Wall -ptx "$(line 'cast_transpose 1024x768 bf16').cu" -o cast.ptx 2>&1
compile "main$(line 'cast_transpose 515x1003 f16').cu" -o checked.o # a host that looks at indices
# 177: a constant that is named in a branch for another type only.
for op in group_quant silu_mul_quant rmsnorm_quant moe_permute moe_unpermute rope kv_write kv_gather block_quant; do
  nvcc -std=c++17 -arch=sm_90 -Xcompiler -Wall -diag-suppress 177 -ptx "$(line "$op ").cu" -o op.ptx 2>&1 || echo "nvcc refuses $op"
done
gather=$(line 'gather_rows 1x1024x768 i64').cu
nvcc -std=c++17 -arch=sm_90 -ptx "$gather" -o plain.ptx && nvcc -std=c++17 -arch=sm_90 -DAUTOTUNE_CHECK -ptx "$gather" -o checked.ptx
grep -q 'trap;' checked.ptx && ! grep -q 'trap;' plain.ptx && echo "an index is looked at where AUTOTUNE_CHECK is defined"
