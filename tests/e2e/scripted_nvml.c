/*
 * scripted_nvml.c - a libnvidia-ml.so.1 that knows how much energy the launches of the scripted driver took,
 * in steps as a real one has them, that 8 GiB are free, the compute capabilities of $AT_NVML_CC ("90 75"),
 * and nothing else.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* what is refused takes what it takes */

#define EXPORT __attribute__((visibility("default")))
enum { OK = 0, NOT_SUPPORTED = 3, STEP_MJ = 100 };

#define REFUSE(name, ...)                                                                                    \
    EXPORT int name(__VA_ARGS__);                                                                            \
    EXPORT int name(__VA_ARGS__)                                                                             \
    {                                                                                                        \
        return NOT_SUPPORTED;                                                                                \
    }
#define ENTRY(name, ...)                                                                                     \
    EXPORT int name(__VA_ARGS__);                                                                            \
    EXPORT int name(__VA_ARGS__)

ENTRY(nvmlInit_v2, void)
{
    return OK;
}

ENTRY(nvmlShutdown, void)
{
    return OK;
}

ENTRY(nvmlDeviceGetHandleByUUID, const char *uuid, void **out)
{
    *out = (void *)&nvmlInit_v2;
    return uuid ? OK : NOT_SUPPORTED;
}

/* The capability of device `index`; how many there are. */
static unsigned capabilities(unsigned index, int *cc)
{
    const char *at = getenv("AT_NVML_CC");
    unsigned count = 0;
    for (char *end; at && *at; at = end, count++) {
        long value = strtol(at, &end, 10);
        if (end == at)
            break;
        if (count == index)
            *cc = (int)value;
    }
    return count;
}

ENTRY(nvmlDeviceGetCount_v2, unsigned *out)
{
    int unused;
    *out = capabilities(0, &unused);
    return OK;
}

/* A device is the address behind so many characters. */
static const char DEVICES[8];

ENTRY(nvmlDeviceGetHandleByIndex_v2, unsigned index, const void **out)
{
    *out = &DEVICES[index % sizeof DEVICES];
    return OK;
}

ENTRY(nvmlDeviceGetCudaComputeCapability, const char *device, int *major, int *minor)
{
    int cc = 0;
    if (capabilities((unsigned)(device - DEVICES), &cc) == 0)
        return NOT_SUPPORTED;
    *major = cc / 10;
    *minor = cc % 10;
    return OK;
}

ENTRY(nvmlSystemGetDriverVersion, char *out, unsigned size)
{
    snprintf(out, size, "580.1");
    return OK;
}

REFUSE(nvmlDeviceGetClockInfo, const void *device, int which, const unsigned *out)
REFUSE(nvmlDeviceGetTemperature, const void *device, int which, const unsigned *out)
REFUSE(nvmlDeviceGetPowerUsage, const void *device, const unsigned *out)
REFUSE(nvmlDeviceGetCurrentClocksThrottleReasons, const void *device, const unsigned long long *out)

/* nvmlMemory_t: total, free, used. */
ENTRY(nvmlDeviceGetMemoryInfo, const void *device, unsigned long long out[3])
{
    out[0] = out[1] = 8ull << 30;
    out[2] = 0;
    return device ? OK : NOT_SUPPORTED;
}

ENTRY(nvmlDeviceGetTotalEnergyConsumption, const void *device, unsigned long long *out)
{
    double (*count)(void) = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = driver && device ? dlsym(driver, "scripted_microjoules") : NULL;
    if (!found)
        return NOT_SUPPORTED;
    memcpy(&count, &found, sizeof count);
    *out = (unsigned long long)floor(count() / 1000 / STEP_MJ) * STEP_MJ;
    dlclose(driver);
    return OK;
}
