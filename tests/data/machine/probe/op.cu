/*!autotune
op        probe                        # one access of one warp; lane i begins at (i / every) * far + (i % every) * near + from bytes
shape     every far near from          # the last three plus 1, as a size is at least that
type      T = f32

arg       out   T[16384]  output
arg       in    T[16384]  input  uniform 0 1
arg       every i32
arg       far   i32
arg       near  i32
arg       from  i32

reference probe_reference
block     32
grid      1
check     exact
traffic   65536
*/
#ifndef AUTOTUNE_RENDERED
using T = float;
#endif

extern "C" __global__ void probe_reference(T *out, const T *in, int every, int far, int near, int from)
{
    out[threadIdx.x] = in[threadIdx.x] + every + far + near + from;
}
