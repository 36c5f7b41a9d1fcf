/* launched.c - see launched.h. */
#include "mpi/launched.h"

#include "util/str.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In their order: Open MPI's mpirun within a step of Slurm leaves both. */
static const struct launcher {
    const char *size, *rank, *by, *module;
} LAUNCHERS[] = {
    { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI's mpirun", "openmpi" },
    { "PMI_SIZE", "PMI_RANK", "MPICH's mpirun", "mpich" },
    { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun", NULL },
};

static bool number_of(int *out, const char *name)
{
    const char *text = getenv(name);
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : -1;
    *out = (int)value;
    return text && *text && !*end && value >= 0 && value < INT_MAX;
}

/* srun leaves PMI_* or PMIX_* too, by its --mpi. */
static void look_at_slurm(atx_launched *out)
{
    if (!getenv("SLURM_STEP_NUM_TASKS") || (out->module && strcmp(out->module, "openmpi") == 0))
        return;
    out->by = "srun";
    out->no_mpi = !out->module && !getenv("PMIX_RANK");
    if (getenv("PMIX_RANK"))
        out->module = NULL; /* any that was built with PMIx */
}

bool atx_launched_find(atx_launched *out)
{
    const char *mode = getenv("AUTOTUNE_MPI");
    *out = (atx_launched){ .size = 1 };
    if (mode && strcmp(mode, "off") == 0)
        return false;
    for (size_t i = 0; i < sizeof LAUNCHERS / sizeof *LAUNCHERS; i++) {
        const struct launcher *l = &LAUNCHERS[i];
        if (!number_of(&out->size, l->size) || !number_of(&out->rank, l->rank))
            continue;
        out->by = l->by;
        out->module = l->module;
        look_at_slurm(out);
        return out->size > 1;
    }
    return false;
}

/* ---- the module ---- */

static const char *const MODULES[] = { "openmpi", "mpich", "other", NULL };
static const char *const FOLDERS[] = { "", "../" AT_MPI_FOLDER "/", NULL };

static at_status open_file(const atx_link **out, const char *path, at_error *err)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* an MPI's own modules look for its symbols */
    const atx_link *link = library ? dlsym(library, ATX_LINK_SYMBOL) : NULL;
    if (!link)
        return atx_fail(err, AT_ERR_USAGE, "%s cannot be used: %s", path,
                        library ? "it is no such module" : dlerror());
    if (link->version != ATX_LINK_VERSION)
        return atx_fail(err, AT_ERR_USAGE, "%s belongs to another autotune", path);
    *out = link;
    return AT_OK;
}

/* Its path, when there is such a file. */
static bool find_module(atx_str *path, const char *name)
{
    char program[PATH_MAX] = "";
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = len > 0 ? strrchr(program, '/') : NULL;
    if (!slash)
        return false;
    slash[1] = '\0';
    for (int i = 0; FOLDERS[i]; i++) {
        atx_str_reset(path);
        atx_str_addf(path, "%s%sautotune-mpi-%s.so", program, FOLDERS[i], name);
        if (!path->failed && access(path->data, R_OK) == 0)
            return true;
    }
    return false;
}

static at_status not_built(const atx_launched *l, at_error *err)
{
    return atx_fail(
        err, AT_ERR_USAGE,
        "%s started %d processes, and this autotune was built without MPI%s%s: each of them would tune "
        "everything for itself. Build it where an MPI is found (CMake: -DAT_MPI=ON), or start one process "
        "with --device all, or a job array with --shard I/N; AUTOTUNE_MPI=off lets each process work alone",
        l->by, l->size, l->module ? " of this kind: " : "", l->module ? l->module : "");
}

at_status atx_launched_link(const atx_link **out, const atx_launched *l, at_error *err)
{
    const char *file = getenv("AUTOTUNE_MPI");
    ATX_LOCAL(atx_str) path = { 0 };
    bool found = file && *file;
    if (found)
        atx_str_add(&path, file);
    for (int i = 0; MODULES[i] && !found; i++)
        if (!l->module || strcmp(l->module, MODULES[i]) == 0)
            found = find_module(&path, MODULES[i]);
    if (!found && l->module)
        found = find_module(&path, "other");
    if (!found)
        ATX_TRY(not_built(l, err));
    else if (l->no_mpi)
        return atx_fail(
            err, AT_ERR_USAGE,
            "srun started %d processes without MPI between them; expected --mpi=pmi2 or --mpi=pmix "
            "(`srun --mpi=list` shows what there is)",
            l->size);
    else
        ATX_TRY(open_file(out, atx_str_text(&path), err));
    return AT_OK;
}
