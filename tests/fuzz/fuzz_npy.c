/* fuzz_npy.c - any bytes as the begin of a NumPy file: a header, or a message. */
#include "lang/npy.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    atx_npy npy = { 0 };
    at_error err = { 0 };
    if (atx_npy_read(&npy, data, size, "fuzz.npy", &err) != AT_OK) {
        require(err.status == AT_ERR_INPUT && err.text[0]);
        return 0;
    }
    int64_t elements = 1;
    require(npy.dims >= 0 && npy.dims <= ATX_NPY_DIMS && npy.bytes >= 1 && npy.bytes <= 16);
    require(npy.data_at > 0 && (uint64_t)npy.data_at <= size);
    for (int i = 0; i < npy.dims; i++)
        elements *= npy.shape[i];
    require(npy.elements == elements && elements >= 0);
    return 0;
}
