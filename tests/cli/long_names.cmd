# Names that are longer than any may be are told: cut, they would be others.
long=$(printf 'n%.0s' {1..63}) # as long as a name may be
device=$(printf 'H%.0s' {1..128})
at query 4096x4096 f32 --device "$device"
at export 4096x4096 f32 --device "$device"
at explain 4096x4096 f32 --device "$device"
at tune 4096x4096 f32 --device "replay:a.db@$device"
at import "$DATA/import/scale_cache.json" --db a.db --quiet --device "$device"
cp "$DATA/import/scale_t4.json" "$device.json"
at import "$device.json" "$DATA/import/scale_t1.json" --db a.db --quiet
ls ./*.db 2>/dev/null
printf '__global__ void k%s(float *x)\n{\n}\n' "$long$long$long$long" >long.cu
at adopt long.cu -o adopted
printf '__global__ void k%s(float *x)\n{\n x[threadIdx.x] = 1;\n}\n' "$long" >longer.cu
at adopt longer.cu -o longer && at check "k${long:0:46}" --templates longer --sample 1
# So are a kernel's parameters and what it reads in constant memory. Of several kernels each is named whole.
printf '__global__ void k(float *x%s)\n{\n}\n' "$long" >parameter.cu
printf '__constant__ float c%s[9];\n__global__ void k(float *x)\n{\n}\n' "$long" >variable.cu
printf '__global__ void k%s%s(float *x)\n{\n}\n' "$long" 1 "$long" 2 >several.cu
for file in parameter variable several; do
  at adopt $file.cu -o of_$file
done
ls -d adopted of_* 2>/dev/null
mkdir -p "templates/$long"
cat >"templates/$long/op.cu" <<END
/*!autotune
op        $long
shape     n
type      T = storage
arg       y T[n] output
arg       x T[n] input
reference r
grid      1
block     32
traffic   2 * n * sizeof(T)
*/
__global__ void r(T *y, const T *x)
{
}
END
printf '/*!autotune\ntemplate %s\nkernel k\ngrid 1\nblock 32\n*/\n__global__ void k(T *y, const T *x)\n{\n}\n' "$long" \
  >"templates/$long/t.cu"
at list "$long" --templates templates | grep -c "^$long"
at list "${long}b" --templates templates
at explain "$long" 64 f32 --templates templates --config "${long}b"
