/*!autotune
template  engine                       # boxes through shared memory, in and out by tensor maps
use       tensor

param     W = 32 64 128 256            # columns of a box
param     H = 4 8 16 32 64             # its rows
param     BOXES = 1 2 4                # of a block, one below the other, all on their way at once
param     L2 = 0 128 256               # bytes that a load brings into the L2

require   device.cc >= 90              # tensor maps
require   cols % 4 == 0                # rows begin at multiples of 16 bytes
require   W * H * BOXES * sizeof(T) + 128 <= device.max_shared_bytes

tensormap from = in  dims cols rows box W H l2 L2
tensormap to   = out dims cols rows box W H
arg       to from

grid      ceil_div(cols, W) ceil_div(rows, H * BOXES)
require   ceil_div(rows, H * BOXES) <= 65535
block     32
shared    W * H * BOXES * sizeof(T) + 128
default   W=128 H=16 BOXES=2
*/

extern "C" __global__ void __launch_bounds__(32) boxes_engine(const __grid_constant__ TensorMap to,
                                                              const __grid_constant__ TensorMap from)
{
    extern __shared__ char memory[];
    __shared__ Barrier there[BOXES];
    char *boxes = memory + (128 - shared_address(memory) % 128) % 128;
    const int column = blockIdx.x * W, row = blockIdx.y * H * BOXES, bytes = W * H * sizeof(T);
    if (threadIdx.x)
        return;
    for (int i = 0; i < BOXES; i++)
        make_barrier(&there[i], 1);
    barriers_are_made();
    for (int i = 0; i < BOXES; i++) {
        arrive_announcing(&there[i], bytes);
        fetch_box(boxes + i * bytes, &from, column, row + i * H, &there[i]);
    }
    for (int i = 0; i < BOXES; i++) {
        wait(&there[i], 0);
        store_box(&to, column, row + i * H, boxes + i * bytes);
    }
    stores_are_given();
    stores_have_read();
}
