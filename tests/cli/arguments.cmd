# Arguments of every type, more than 16 of them, and those of a template's own: run, exported, refused.
need_nvrtc
mkdir -p dir/small
parameters='float *y, const float *x, bool twice, signed char a, unsigned char b, short c, unsigned short d, int e,
    unsigned int f, long long g, unsigned long long h, __half p, __nv_bfloat16 q, float r, double s'
value='x[i] * (twice ? 2 : 1) + a + b + c + d + e + (float)f * 1e-9f + (float)(h - g) + __half2float(p) +
        __bfloat162float(q) + r + (float)s'
cat >dir/small/op.cu <<END
/*!autotune
op        small
shape     n
type      T = f32
let       half = n / 2
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       twice bool = n > 5
arg       a i8 = -3
arg       b u8 = n
arg       c i16 = -300
arg       d u16 = 60000
arg       e i32 = half
arg       f u32 = 3000000000
arg       g i64 = n
arg       h u64 = n
arg       p f16 = 0.5
arg       q bf16 = 0.25
arg       r f32 = 1 / n
arg       s f64 = half
reference small_reference
grid      ceil_div(n, 256)
block     256
check     within 1e-5 relative
traffic   2 * n * sizeof(T)
*/
extern "C" __global__ void small_reference($parameters)
{
    const long long i = blockIdx.x * 256ll + threadIdx.x;
    if (i < g)
        y[i] = $value;
}
END
template() {
    cat >dir/small/t.cu <<END
/*!autotune
template  t
param     BLOCK = 64 128
let       tiles = ceil_div(n, BLOCK)
scalar    tiles u16
scalar    inverse f32 = 1 / BLOCK
scalar    even bool = $1
grid      tiles
block     BLOCK
arg       y x twice a b c d e f g h p q r s tiles inverse even
*/
extern "C" __global__ void small_t($parameters,
    unsigned short tiles, float inverse, bool even)
{
    const long long i = blockIdx.x * (long long)BLOCK + threadIdx.x;
    if (i < g && tiles == gridDim.x && inverse * BLOCK == 1 && even)
        y[i] = $value;
}
END
}
template 'BLOCK % 2 == 0'
at check small --shape 200 --templates dir --jobs 1
at check small --execute --shape 200 --templates dir
# A value that its type does not have: of the problem, or of a configuration.
at check small --execute --shape 300 --templates dir
template 'BLOCK / 64'
at check small --execute --shape 200 --templates dir
# Wrong where a scalar is: what a configuration says is what its kernel is passed.
template 'BLOCK / 128'
at check small --execute --shape 200 --templates dir
template 'BLOCK % 2 == 0'
# What no launch takes, or is there twice.
bad() { printf '/*!autotune\ntemplate t\nscalar %s\ngrid 1\nblock 1\n*/\n__global__ void small_t() {}\n' "$1" >dir/small/t.cu; }
bad 'm i32 = n'
at list small --templates dir
bad 'y i32 = n'
at list small --templates dir
bad 'm c64 = n'
at list small --templates dir
