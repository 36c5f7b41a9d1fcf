/*
 * nvml.c - NVML, opened at run time. The few entries in use are declared here: the toolkit may come
 * without nvml.h. The device is found by its UUID, as NVML's numbers need not be CUDA's. Each
 * figure that the library does not have, or refuses, is -1.
 */
#include "runner/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NVML_SUCCESS = 0,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2,
    NVML_TEMPERATURE_GPU = 0,
    NVML_UNCORRECTED = 1,
    NVML_VOLATILE = 0
};

typedef struct nvml_device *device_handle; /* opaque, as in nvml.h */

/* nvmlMemory_t */
struct memory {
    unsigned long long total, free, used;
};

struct atx_nvml {
    void *library;
    device_handle device;
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_uuid)(const char *, device_handle *);
    int (*driver)(char *, unsigned);
    int (*clock)(device_handle, int, unsigned *);
    int (*temperature)(device_handle, int, unsigned *);
    int (*power)(device_handle, unsigned *);
    int (*throttle)(device_handle, unsigned long long *);
    int (*limit)(device_handle, unsigned *);                   /* NULL: not there */
    int (*energy)(device_handle, unsigned long long *);        /* likewise        */
    int (*processes)(device_handle, unsigned *, void *);       /* likewise        */
    int (*ecc)(device_handle, int, int, unsigned long long *); /* likewise        */
    int (*memory)(device_handle, struct memory *);             /* likewise        */
    int (*count)(unsigned *);                                  /* likewise        */
    int (*by_index)(unsigned, device_handle *);                /* likewise        */
    int (*mig)(device_handle, unsigned *, unsigned *);         /* likewise        */
};

static bool symbol(void *out, void *library, const char *name)
{
    void *found = dlsym(library, name);
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

static bool load_needed(atx_nvml *n)
{
    n->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    return n->library && symbol(&n->init, n->library, "nvmlInit_v2") &&
           symbol(&n->shutdown, n->library, "nvmlShutdown") &&
           symbol(&n->by_uuid, n->library, "nvmlDeviceGetHandleByUUID") &&
           symbol(&n->driver, n->library, "nvmlSystemGetDriverVersion") &&
           symbol(&n->clock, n->library, "nvmlDeviceGetClockInfo") &&
           symbol(&n->temperature, n->library, "nvmlDeviceGetTemperature") &&
           symbol(&n->power, n->library, "nvmlDeviceGetPowerUsage") &&
           symbol(&n->throttle, n->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

static bool load(atx_nvml *n)
{
    if (load_needed(n)) {
        symbol(&n->limit, n->library, "nvmlDeviceGetEnforcedPowerLimit");
        symbol(&n->energy, n->library, "nvmlDeviceGetTotalEnergyConsumption");
        symbol(&n->processes, n->library, "nvmlDeviceGetComputeRunningProcesses_v3");
        symbol(&n->ecc, n->library, "nvmlDeviceGetTotalEccErrors");
        symbol(&n->memory, n->library, "nvmlDeviceGetMemoryInfo");
        symbol(&n->count, n->library, "nvmlDeviceGetCount_v2");
        symbol(&n->by_index, n->library, "nvmlDeviceGetHandleByIndex_v2");
        symbol(&n->mig, n->library, "nvmlDeviceGetMigMode");
        return true;
    }
    return false;
}

atx_nvml *atx_nvml_open(void)
{
    atx_nvml *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    if (load(n) && n->init() == NVML_SUCCESS)
        return n;
    if (n->library)
        dlclose(n->library);
    free(n);
    return NULL;
}

bool atx_nvml_find(atx_nvml *nvml, const char *uuid)
{
    return nvml && nvml->by_uuid(uuid, &nvml->device) == NVML_SUCCESS;
}

void atx_nvml_close(atx_nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

int atx_nvml_count(const atx_nvml *nvml)
{
    unsigned count = 0;
    return nvml && nvml->count && nvml->count(&count) == NVML_SUCCESS ? (int)count : 0;
}

bool atx_nvml_uses_mig(const atx_nvml *nvml)
{
    const int count = atx_nvml_count(nvml);
    for (int i = 0; i < count && nvml->by_index && nvml->mig; i++) {
        device_handle gpu;
        unsigned now = 0, after_reset;
        if (nvml->by_index((unsigned)i, &gpu) == NVML_SUCCESS &&
            nvml->mig(gpu, &now, &after_reset) == NVML_SUCCESS && now)
            return true;
    }
    return false;
}

int64_t atx_nvml_processes(const atx_nvml *nvml)
{
    unsigned count = 0;
    if (!nvml || !nvml->processes)
        return -1;
    int code = nvml->processes(nvml->device, &count, NULL);
    return code == NVML_SUCCESS || code == NVML_INSUFFICIENT_SIZE ? (int64_t)count : -1;
}

int64_t atx_nvml_ecc_errors(const atx_nvml *nvml)
{
    unsigned long long count = 0;
    bool known =
        nvml && nvml->ecc && nvml->ecc(nvml->device, NVML_UNCORRECTED, NVML_VOLATILE, &count) == NVML_SUCCESS;
    return known ? (int64_t)count : -1;
}

int64_t atx_nvml_free_bytes(const atx_nvml *nvml)
{
    struct memory m = { 0 };
    bool known = nvml && nvml->memory && nvml->memory(nvml->device, &m) == NVML_SUCCESS;
    return known ? (int64_t)m.free : -1;
}

double atx_nvml_joules(const atx_nvml *nvml)
{
    unsigned long long millijoules = 0;
    bool known = nvml && nvml->energy && nvml->energy(nvml->device, &millijoules) == NVML_SUCCESS;
    return known ? 1e-3 * (double)millijoules : (double)NAN;
}

atx_conditions atx_nvml_read(const atx_nvml *nvml)
{
    atx_conditions c = ATX_CONDITIONS_UNKNOWN;
    unsigned value = 0;
    unsigned long long reasons = 0;
    if (!nvml)
        return c;
    if (nvml->clock(nvml->device, NVML_CLOCK_SM, &value) == NVML_SUCCESS)
        c.sm_clock_mhz = value;
    if (nvml->clock(nvml->device, NVML_CLOCK_MEM, &value) == NVML_SUCCESS)
        c.memory_clock_mhz = value;
    if (nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &value) == NVML_SUCCESS)
        c.temperature_c = value;
    if (nvml->power(nvml->device, &value) == NVML_SUCCESS)
        c.power_w = value / 1000; /* NVML counts milliwatts */
    if (nvml->limit && nvml->limit(nvml->device, &value) == NVML_SUCCESS)
        c.power_limit_w = value / 1000;
    if (nvml->throttle(nvml->device, &reasons) == NVML_SUCCESS)
        c.throttle_reasons = (int64_t)reasons;
    return c;
}

bool atx_nvml_driver(const atx_nvml *nvml, char *out, size_t size)
{
    char version[96] = "";
    if (!nvml || nvml->driver(version, sizeof version) != NVML_SUCCESS || strlen(version) >= size)
        return false;
    memcpy(out, version, strlen(version) + 1);
    return true;
}
