else if (0) { }
__global__ void k(int *p) { if (0) { } else if (1) { p = 0; } }
