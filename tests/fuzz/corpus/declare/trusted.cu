/*!autotune
op        trusted
shape     n
type      T = f32
arg       y T[n] output
arg       x T[n] input normal 0 1
reference template plain THREADS=64 \
          ROUND=down # the author's own
traffic   n
*/
/*!autotune
template  plain
param     THREADS = 32 64
param     ROUND = up down
grid      1
block     THREADS
*/
void trusted_plain() {}
