# Kernels that run on the CPU: each has one flaw, and that is found, with its line; the good one has none.
need_nvrtc
# Where in the loop the instructions are spent, is the compiler's.
at check flawed --execute --templates "$DATA/machine" --shape 512 |
  sed -E 's/(forever.cu):[0-9]+: (.* after) [0-9]+ (.* and) [0-9]+ (.*), thread .*/\1:LINE: \2 N \3 N \4, thread T)/'
at check flawed --execute --templates "$DATA/machine" --shape 512 --only no_barrier,good --format json
at check flawed --execute --templates "$DATA/machine" --shape 512 --only good
# The shape may stand behind the operation. One that it does not take is refused.
at check --execute flawed 1024 f32 --templates "$DATA/machine" --only good
at check flawed --execute --templates "$DATA/machine" --shape 511
at check flawed --execute --templates "$DATA/machine" --shape 512 --only good --format csv
# As many configurations as there are, however many are asked for; each of 66 problems, however many they are.
at check flawed --execute --templates "$DATA/machine" --shape 512 --only good --sample 9000000000000000000
at check --execute copy --only linear --sample 66 u8 f16 $(seq 33)
# What cannot be launched is wrong by its name, and the others are run all the same.
mkdir -p mine/wide mine/broad
cat >mine/wide/op.cu <<'END'
/*!autotune
op        wide # a copy
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input uniform -1 1
arg       n i32
reference wide_reference
grid      ceil_div(n, 128)
block     128
traffic   2 * n * sizeof(T)
*/
extern "C" __global__ void wide_reference(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
END
for bound in '' '__launch_bounds__(64)'; do
  cat >"mine/wide/bound${bound//[!0-9]/}.cu" <<END
/*!autotune
template  bound${bound//[!0-9]/}
param     BLOCK = 64 512 2048
kernel    copy_it
grid      ceil_div(n, BLOCK)
block     BLOCK
*/
__global__ void $bound copy_it(T *y, const T *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}
END
done
at check wide --execute --templates mine --shape 1000
at check wide --execute --templates mine --shape 1000 --only bound64 --format json
sed -e 's/wide/broad/; s/^block .*/block 2048/' mine/wide/op.cu >mine/broad/op.cu
sed 's/BLOCK = .*/BLOCK = 64/' mine/wide/bound.cu >mine/broad/bound.cu
at check broad --execute --templates mine --shape 1000
# An error is told with its line, before warnings, once for all configurations.
mkdir -p mine/broken
sed 's/wide/broken/' mine/wide/op.cu >mine/broken/op.cu
cat >mine/broken/sized.cu <<'END'
/*!autotune
template  sized
param     N = 64 128 256
kernel    copy_it
grid      ceil_div(n, N)
block     N
*/
#define TWICE 1
#define TWICE 2
__global__ void copy_it(T *y, const T *x, int n)
{
    const int i = blockIdx.x * N + threadIdx.x;
    float (*const tile)[N] = x;
    if (i < n)
        y[i] = tile[0][i] + missing;
}
END
at check broken --execute --templates mine --shape 1000
at check broken --execute --templates mine --shape 1000 --format json
at check broken --templates mine --shape 1000 --only sized 2>&1 | sed '/kernels a second/d; /^sm_90 .*(reference)/d'
# What the machine does not know is not run, and so not proven: that is no success. What is found goes before it.
mkdir -p mine/part
sed 's/wide/part/' mine/wide/op.cu >mine/part/op.cu
cat >mine/part/marked.cu <<'END'
/*!autotune
template  marked
param     MARKED = no yes
kernel    copy_it
grid      ceil_div(n, 128)
block     128
*/
__global__ void copy_it(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (MARKED)
        asm volatile("{ .reg .u32 events; mov.u32 events, %pm0; }");
    if (i < n)
        y[i] = x[i];
}
END
at check part --execute --templates mine --shape 1000 | sed "s#PTX:[0-9]*:[0-9]*#PTX:N#"
at check part --execute --templates mine --shape 1000 --format json | sed "s#PTX:[0-9]*:[0-9]*#PTX:N#"
sed 's/marked/astray/; s/y\[i\] = x/y[i + 1] = x/' mine/part/marked.cu >mine/part/astray.cu
at check part --execute --templates mine --shape 1000 | sed "s#PTX:[0-9]*:[0-9]*#PTX:N#"
# Memory of the device's heap is there; textures, and a sync of all blocks, are not, by these words.
mkdir -p mine/heap mine/apart
sed 's/wide/apart/' mine/wide/op.cu >mine/apart/op.cu
apart() { # NAME PTX
  sed "s/marked/$1/; /^param/d; s/    if (MARKED)/    unsigned long long from = 0;\n    float4 v;/; s/asm volatile.*/$2/" mine/part/marked.cu >"mine/apart/$1.cu"
}
apart synced 'asm volatile("{ .reg .u32 place; mov.u32 place, %envreg2; }");'
apart painted 'asm volatile("tex.1d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5}];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from), "r"(i));'
at check apart --execute --templates mine --shape 1000 | sed "s#PTX:[0-9]*:[0-9]*#PTX:N#"
sed 's/wide/heap/' mine/wide/op.cu >mine/heap/op.cu
cat >mine/heap/borrowed.cu <<'END'
/*!autotune
template  borrowed
kernel    copy_it
grid      ceil_div(n, 128)
block     128
*/
__global__ void copy_it(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    T *const one = (T *)malloc(sizeof(T));
    if (i < n && one)
        y[i] = *one = x[i];
    free(one);
}
END
at check heap --execute --templates mine --shape 1000 | sed "s#PTX:[0-9]*:#PTX:N:#"
# Nor is a run of nothing.
sed 's/marked/choosy/; s/^grid/require   n % 7 == 0\n&/' mine/part/marked.cu >mine/part/choosy.cu
at check part --execute --templates mine --shape 1000 --only choosy | sed "s#PTX:[0-9]*:[0-9]*#PTX:N#"
# A problem that takes too much memory or time is left out, or not run where it is named; what is known before.
mkdir -p large/square large/rounds large/slow
sed 's/wide/square/; s/T\[n\]/T[n * n]/; s/ceil_div(n, 128)/ceil_div(n * n, 128)/; s/i < n/i < n * n/' mine/wide/op.cu >large/square/op.cu
sed 's/BLOCK = .*/BLOCK = 64/; s/ceil_div(n, BLOCK)/ceil_div(n * n, BLOCK)/; s/i < n/i < n * n/' mine/wide/bound.cu >large/square/flat.cu
at check square --execute --templates large
sed 's/bound/most/; s/^grid/require   n > 10000\n&/' large/square/flat.cu >large/square/most.cu
at check square --execute --templates large --only most
rm large/square/most.cu
at check square --execute --templates large --shape 1000000 | sed 's/of which .* GB are/of which N GB are/'
# A loop of a million instructions has an end, also where a template takes long; one that nobody waits for is not known.
rounds() { # OP ROUNDS
  sed "s/wide/$1/; s/type .*/type T = u32/; s/uniform -1 1/bits/" mine/wide/op.cu | sed "s/        y\[i\] = .*/    {\n        T v = x[i];\n        for (int k = 0; k < $2 * n; k++)\n            v = 1664525 * v + 1013904223;\n        y[i] = v;\n    }/" >"large/$1/op.cu"
  cat >"large/$1/rounds.cu" <<END
/*!autotune
template  rounds
param     TIMES = $3
kernel    rounds
grid      ceil_div(n, 128)
block     128
*/
__global__ void rounds(T *y, const T *x, int n)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    T v = i < n ? x[i] : 0;
    long long k = 0;
    for (; k < $2ll * TIMES * n; k++)
        if (k % TIMES == 0)
            v = 1664525 * v + 1013904223;
    if (i < n)
        y[i] = v;
}
END
}
rounds rounds 6000 '1 2'
at check rounds --execute --templates large --shape 32
rounds slow 600 1000000000
at check slow --execute --templates large --shape 32 | sed -E 's/, [0-9.e+]+ times/, N times/'
# What a folder holds is checked where no operation is named, and no more: a new operation, a template of ours.
mkdir -p held/copy held/wide
cp mine/wide/op.cu held/wide/op.cu
sed 's/BLOCK = .*/BLOCK = 64/' mine/wide/bound.cu >held/wide/bound.cu
cp "$DATA/../../templates/copy/linear.cu" held/copy/plain.cu
sed -i 's/^template .*/template  plain/; s/copy_linear/copy_plain/' held/copy/plain.cu
at check --execute --templates held --sample 1 f32
at check --templates held --shape 4096,64x64 --dtype f32 --sample 1 2>&1 | sed '/kernels a second/d' | cut -c1-40
at check --templates held --only linear
at check --execute --templates held/nothing
