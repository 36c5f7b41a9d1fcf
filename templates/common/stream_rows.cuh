/*!autotune
common    stream_rows                  # rows of any length and alignment, which one block reads twice

param     THREADS = 128 256 512 1024
param     BYTES   = 2 4 8 16          # of an access
param     UNROLL  = 1 2 4 8           # accesses that a thread has on their way
param     KEEP    = 0 1               # the caches keep what the first read brings until the second, and nothing longer
param     BACK    = 0 1               # the second read begins at the end, which the first one brought last

const     PER     = BYTES / sizeof(T)

require   BYTES >= sizeof(T) && cols % max(PER, 1) == 0 # rows are whole vectors
require   BYTES == 16 || cols % (2 * max(PER, 1)) != 0 # no narrower than it must be
require   THREADS <= device.max_threads_per_block
require   THREADS == 128 || cols >= THREADS * PER # every thread has something
require   rows <= device.max_grid_x

require   KEEP == 0 || (device.cc >= 80 && BYTES >= 4) # older devices have no such reads
require   BACK == 0 || cols > THREADS * UNROLL * max(PER, 1) # a single piece has no end to begin at
require   (UNROLL * max(BYTES, 4) / 2 + 24) * THREADS <= device.max_registers_per_block # no spills
*/
