/*
 * test_processors.c - what must not depend on the processor that is compiled for. On x86-64 this file is
 * compiled with -mfma: then a compiler may do there what it does on arm64, where all have that instruction.
 */
#include <criterion/criterion.h>

/* gcc makes one instruction of both unless -ffp-contract=off; the machine and the models then round once. */
Test(processors, a_product_is_rounded_before_something_is_added)
{
#ifdef __x86_64__
    if (!__builtin_cpu_supports("fma"))
        cr_skip_test("this processor has no fused multiply-add");
#endif
    volatile double a = 1 + 0x1p-30, b = 1 + 0x1p-29;
    cr_expect(a * a - b == 0,
              "a product and a difference were rounded once; see -ffp-contract in CMakeLists.txt");
}
