# Arrays of structs and a struct by value: run on the CPU, a wrong field named, listed; what is refused.
need_nvrtc
ops=$DATA/../gpu/arguments
at check move --templates "$ops" --shape 100 --jobs 1 --only plain
at check move --execute --templates "$ops" --shape 100
at check small --execute --templates "$ops" --shape 1000
at list move --templates "$ops"
# A struct by value whose fields name buffers, taken as its file has it; and one of another size.
mkdir -p dir/view
cat >dir/view/op.cu <<'EOF'
/*!autotune
op        view
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform -1 1
struct    View = float *y, const float *x, i32 n
arg       v View
reference template t
check     exact
traffic   8 * n
*/
EOF
cat >dir/view/t.cu <<'EOF'
/*!autotune
template t
source   r06.cu
kernel   r06
param    BLOCK = 64 128
grid     ceil_div(n, BLOCK)
block    BLOCK
*/
EOF
kernel='__global__ void r06(View v) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < v.n) v.y[i] = 2 * v.x[i]; }'
printf 'struct View { float *y; const float *x; int n; };\n%s\n' "$kernel" >dir/view/r06.cu
at check view --execute --shape 100 --templates dir
printf 'struct View { float *y; const float *x; int n; long long m; };\n%s\n' "$kernel" >dir/view/r06.cu
at check view --shape 100 --templates dir --jobs 1
# A type whose fields are not known: zero bits by value.
printf 'struct View { float *y; const float *x; int n; };\nstruct Blob { int words[6]; };\n' >dir/view/r06.cu
printf '__global__ void r06(View v, Blob b) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < v.n) v.y[i] = 2 * v.x[i] + b.words[5]; }\n' >>dir/view/r06.cu
sed -i 's/^reference/struct    Blob bytes 24 align 4\narg       b Blob\nreference/' dir/view/op.cu
at check view --execute --shape 100 --templates dir
# A field that random bits would make worthless.
sed -i 's/arg       x T.*/struct    P = f32 a, i32 b\narg       x T[n] input uniform -1 1\narg       p P[n] input/' dir/view/op.cu
at check view --execute --shape 100 --templates dir
