// grid 1 block 32: a product of bytes by mma, with fragments as the ISA lays them out.
extern "C" __global__ void k(unsigned *out, const unsigned *in)
{
    const signed char *a = (const signed char *)in, *b = (const signed char *)(in + 512);
    const int lane = threadIdx.x, row = lane / 4, group = lane % 4;
    unsigned x[4], y[2];
    int c[4] = { 1, 2, 3, 4 };
    for (int r = 0; r < 4; r++)
        x[r] = *(const unsigned *)(a + (row + 8 * (r & 1)) * 32 + 4 * group + 16 * (r / 2));
    for (int r = 0; r < 2; r++)
        y[r] = *(const unsigned *)(b + row * 32 + 4 * group + 16 * r);
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    for (int i = 0; i < 4; i++)
        out[(row + 8 * (i / 2)) * 8 + 2 * group + i % 2] = (unsigned)c[i];
}

extern "C" __global__ void expected(unsigned *out, const unsigned *in)
{
    const signed char *a = (const signed char *)in, *b = (const signed char *)(in + 512);
    for (int i = threadIdx.x; i < 128; i += 32) {
        const int row = i / 8, column = i % 8;
        int sum = 1 + row / 8 * 2 + column % 2;
        for (int k = 0; k < 32; k++)
            sum += a[row * 32 + k] * b[column * 32 + k];
        out[i] = (unsigned)sum;
    }
}
