/*
 * scripted_nvml.c - a libnvidia-ml.so.1 that knows how much energy the launches of the scripted driver took,
 * in steps as a real one has them, that 8 GiB are free, that the limit is 700 W, how many GPUs there are
 * (AT_NVML_COUNT) and whether MIG is in use on the last one (AT_NVML_MIG), and nothing else.
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

ENTRY(nvmlDeviceGetEnforcedPowerLimit, void *device, unsigned *milliwatts)
{
    *milliwatts = 700000;
    return device ? OK : NOT_SUPPORTED;
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

ENTRY(nvmlSystemGetDriverVersion, char *out, unsigned size)
{
    snprintf(out, size, "580.1");
    return OK;
}

static unsigned number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? (unsigned)atoi(text) : 0;
}

ENTRY(nvmlDeviceGetCount_v2, unsigned *count)
{
    *count = number_of("AT_NVML_COUNT");
    return OK;
}

ENTRY(nvmlDeviceGetHandleByIndex_v2, unsigned index, void **out)
{
    static char handles[8];
    *out = &handles[index % sizeof handles];
    return index < number_of("AT_NVML_COUNT") ? OK : NOT_SUPPORTED;
}

ENTRY(nvmlDeviceGetMigMode, void *device, unsigned *now, unsigned *after_reset)
{
    void *last = NULL;
    nvmlDeviceGetHandleByIndex_v2(number_of("AT_NVML_COUNT") - 1, &last);
    *now = *after_reset = device == last && number_of("AT_NVML_MIG");
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
