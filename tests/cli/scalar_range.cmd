# An i32 argument has its value, or the problem is refused: a kernel would be passed another number.
mkdir -p dir/big
cat >dir/big/op.cu <<'END'
/*!autotune
op        big
shape     n
type      T = f32
arg       out   T[16] output
arg       in    T[16] input
arg       n     i32
arg       twice i32 = 2 * n
traffic   128
reference big_reference
block     32
grid      1
*/
extern "C" __global__ void big_reference(T *out, const T *in, int, int)
{
    out[threadIdx.x] = in[threadIdx.x];
}
END
cat >dir/big/plain.cu <<'END'
/*!autotune
template plain
grid 1
block 16
*/
extern "C" __global__ void big_plain(T *out, const T *in, int n, int twice)
{
    out[threadIdx.x] = in[threadIdx.x];
}
END
at query big 1073741823 --templates dir
for command in query export tune explain; do at $command big 3000000000 --templates dir; done
at query big 1073741824 --templates dir
at check big --shape 3000000000 --execute --templates dir
printf '# sizes\nbig 64\nf32 big 2147483648\n' >shapes.txt
at tune --shapes shapes.txt --templates dir
