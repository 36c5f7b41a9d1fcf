/*
 * test_nvrtc_open.c - where NVRTC and the headers that belong to it are found. The libraries are
 * fake_nvrtc.c, of versions that no machine has (12.99), in folders that are laid out as a toolkit, conda,
 * Debian and pip have them.
 */
#include "compile/nvrtc.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 1000 };

static char root[64];

static void begin(void)
{
    static const char *const VARIABLES[] = { "AUTOTUNE_NVRTC", "CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX" };
    for (size_t i = 0; i < sizeof VARIABLES / sizeof *VARIABLES; i++)
        unsetenv(VARIABLES[i]);
    TEMPORARY(root, "[nvrtc]"); /* brackets are no pattern */
    cr_assert_not_null(mkdtemp(root));
}

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Exit code of a command that runs in the folder. */
static int shell(const char *format, ...)
{
    char command[4 * LINE];
    int len = snprintf(command, sizeof command, "cd '%s' && ", root);
    va_list args;
    va_start(args, format);
    vsnprintf(command + len, sizeof command - (size_t)len, format, args);
    va_end(args);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void end(void)
{
    shell("rm -rf '%s'", root);
}

TestSuite(nvrtc_open, .init = begin, .fini = end);

static const char *in_root(const char *name)
{
    static char paths[4][LINE];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, LINE, "%s/%.900s", root, name);
    return path;
}

/* A library of this version; the folder has one. */
static void put_library(const char *name, const char *version)
{
    cr_assert_eq(
        shell("mkdir -p \"$(dirname '%s')\" && cp '%s' '%s' && echo %s > \"$(dirname '%s')/version\"", name,
              AT_FAKE_NVRTC, name, version, name),
        0);
}

/* Headers of CUDA of this version, 12990 for 12.99. */
static void put_headers(const char *folder, int version)
{
    cr_assert_eq(shell("mkdir -p '%s' && touch '%s/cuda_fp16.h' && "
                       "echo '#define CUDART_VERSION  %d' > '%s/cuda_runtime_api.h'",
                       folder, folder, version, folder),
                 0);
}

static atx_nvrtc *must_open(void)
{
    atx_nvrtc *nvrtc = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_nvrtc_open(&nvrtc, &err), AT_OK, "%s", err.text);
    return nvrtc;
}

static atx_nvrtc *open_file(const char *name)
{
    setenv("AUTOTUNE_NVRTC", in_root(name), 1);
    return must_open();
}

static void expect_real(const char *found, const char *name, const char *what)
{
    char *real = realpath(in_root(name), NULL);
    cr_expect(found && real && strcmp(found, real) == 0, "%s: found %s; expected %s", what,
              found ? found : "none", real);
    free(real);
}

/* ---- the library ---- */

/* The variables, the one that counts most last, and where each toolkit has the library. */
Test(nvrtc_open, a_toolkit_that_a_variable_names_goes_before_the_machine_s)
{
    static const char *const VARIABLES[] = { "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME" };
    static const char *const FOLDERS[] = { "targets/x86_64-linux/lib", "lib", "lib64" };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            char name[LINE], real[LINE];
            snprintf(name, sizeof name, "%s-%d/%s/libnvrtc.so.12", VARIABLES[i], k, FOLDERS[k]);
            put_library(name, "12.99");
            snprintf(real, sizeof real, "%s-%d", VARIABLES[i], k);
            setenv(VARIABLES[i], in_root(real), 1);
            atx_nvrtc *nvrtc = must_open();
            cr_expect_str_eq(atx_nvrtc_path(nvrtc), in_root(name));
            atx_nvrtc_close(nvrtc);
        }
}

Test(nvrtc_open, what_is_too_old_or_broken_is_passed_over)
{
    put_library("a/lib64/libnvrtc.so.13", "11.7");
    cr_assert_eq(shell("echo text > a/lib64/libnvrtc.so.12"), 0);
    put_library("b/lib/libnvrtc.so.12", "12.99");
    setenv("CUDA_HOME", in_root("a"), 1);
    setenv("CUDA_PATH", in_root("b"), 1);
    atx_nvrtc *nvrtc = must_open();
    cr_expect_str_eq(atx_nvrtc_path(nvrtc), in_root("b/lib/libnvrtc.so.12"));
    atx_nvrtc_close(nvrtc);
}

/* The first line that the program says, which runs as bin/autotune of the folder, in the same surroundings.
 */
static void run_program(char line[LINE])
{
    cr_assert_eq(shell("mkdir -p bin && cp '%s' bin/autotune", AT_REAL), 0);
    shell("AUTOTUNE_CACHE= bin/autotune check --only tiny --arch sm_90 --sample 1 --jobs 1 >said "
          "2>&1");
    FILE *in = fopen(in_root("said"), "r");
    size_t len = in ? fread(line, 1, LINE - 1, in) : 0;
    line[len] = '\0';
    if (in)
        fclose(in);
}

/* Conda's environments have bin and lib, with a Python or without; pip's have the wheels beside the module.
 */
Test(nvrtc_open, the_environment_that_has_the_program_goes_before_all_others)
{
    static const char *const NAMES[] = { "lib/libnvrtc.so.12",
                                         "lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                                         "lib/python3.9/site-packages/nvidia/cu13/lib/libnvrtc.so.13" };
    char said[LINE];
    put_library("cuda/lib64/libnvrtc.so.13", "13.98");
    setenv("CUDA_HOME", in_root("cuda"), 1);
    cr_assert_eq(shell("mkdir -p lib/python3.9/site-packages/autotune"), 0);
    for (int i = 0; i < 3; i++) {
        char path[LINE];
        put_library(NAMES[i], "12.99");
        snprintf(path, sizeof path, "%s/bin/../%s%s", root,
                 i ? "lib/python3.9/site-packages/autotune/../" : "",
                 i ? strstr(NAMES[i], "nvidia") : NAMES[i]);
        run_program(said);
        cr_expect(strstr(said, path), "expected %s\n%s", path, said);
    }
}

/* ---- its headers ---- */

static const struct {
    const char *library, *headers, *parts[2];
} LAYOUTS[] = {
    { "toolkit/lib64/libnvrtc.so.12", "toolkit/include", { NULL } },
    { "toolkit13/lib64/libnvrtc.so.12", "toolkit13/include", { "toolkit13/include/cccl" } },
    { "conda/lib/libnvrtc.so.12", "conda/targets/x86_64-linux/include", { NULL } },
    { "conda13/lib/libnvrtc.so.12",
      "conda13/targets/sbsa-linux/include",
      { "conda13/targets/sbsa-linux/include/cccl" } },
    { "debian/usr/lib/x86_64-linux-gnu/libnvrtc.so.12", "debian/usr/include", { NULL } },
    { "pip/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
      "pip/nvidia/cuda_runtime/include",
      { "pip/nvidia/cuda_cccl/include", "pip/nvidia/cuda_nvcc/include" } },
    { "pip13/nvidia/cu13/lib/libnvrtc.so.12",
      "pip13/nvidia/cu13/include",
      { "pip13/nvidia/cu13/include/cccl" } },
};

Test(nvrtc_open, headers_are_those_beside_the_library)
{
    put_headers("elsewhere/include", 12990);
    setenv("CUDA_HOME", in_root("elsewhere"), 1);
    for (size_t i = 0; i < sizeof LAYOUTS / sizeof *LAYOUTS; i++) {
        const char *library = LAYOUTS[i].library;
        int count = 1;
        put_library(library, "12.99");
        put_headers(LAYOUTS[i].headers, 12990);
        for (int k = 0; k < 2 && LAYOUTS[i].parts[k]; k++)
            cr_assert_eq(shell("mkdir -p '%s'", LAYOUTS[i].parts[k]), 0);
        atx_nvrtc *nvrtc = open_file(library);
        expect_real(atx_nvrtc_headers(nvrtc, 0), LAYOUTS[i].headers, library);
        for (; count <= 2 && LAYOUTS[i].parts[count - 1]; count++)
            expect_real(atx_nvrtc_headers(nvrtc, count), LAYOUTS[i].parts[count - 1], library);
        cr_expect_null(atx_nvrtc_headers(nvrtc, count), "%s", library);
        atx_nvrtc_close(nvrtc);
    }
}

/* Folders of the loader hold links into the toolkit; a folder of links may have headers of its own. */
Test(nvrtc_open, headers_are_found_through_a_link_and_beside_it)
{
    put_library("real/lib64/libnvrtc.so.12", "12.99");
    cr_assert_eq(
        shell("mkdir -p links/lib && ln -s ../../real/lib64/libnvrtc.so.12 links/lib/libnvrtc.so.12"), 0);
    put_headers("links/include", 12990);
    atx_nvrtc *nvrtc = open_file("links/lib/libnvrtc.so.12");
    expect_real(atx_nvrtc_headers(nvrtc, 0), "links/include", "beside the link");
    atx_nvrtc_close(nvrtc);
    put_headers("real/include", 12990);
    nvrtc = open_file("links/lib/libnvrtc.so.12");
    expect_real(atx_nvrtc_headers(nvrtc, 0), "real/include", "through the link");
    atx_nvrtc_close(nvrtc);
}

static const struct {
    int beside, home; /* versions of the headers there; 0: none */
    const char *expected;
} VERSIONS[] = {
    { 0, 12990, "home/include" },     /* none beside it                      */
    { 0, 12980, NULL },               /* none beside it, another version     */
    { 12980, 0, "cuda/include" },     /* another minor version is better than none ... */
    { 12980, 12970, "cuda/include" }, /* ... but only beside it              */
    { 12980, 12990, "home/include" }, /* the same version is better          */
    { 12990, 12990, "cuda/include" },
    { 13990, 0, NULL }, /* another major version is as none    */
    { 13990, 12990, "home/include" },
};

Test(nvrtc_open, headers_are_of_the_library_s_version)
{
    put_library("cuda/lib64/libnvrtc.so.12", "12.99");
    setenv("CUDA_HOME", in_root("home"), 1);
    for (size_t i = 0; i < sizeof VERSIONS / sizeof *VERSIONS; i++) {
        char what[LINE];
        shell("rm -rf cuda/include home/include");
        if (VERSIONS[i].beside)
            put_headers("cuda/include", VERSIONS[i].beside);
        if (VERSIONS[i].home)
            put_headers("home/include", VERSIONS[i].home);
        atx_nvrtc *nvrtc = open_file("cuda/lib64/libnvrtc.so.12");
        snprintf(what, sizeof what, "%d beside it, %d elsewhere", VERSIONS[i].beside, VERSIONS[i].home);
        if (VERSIONS[i].expected)
            expect_real(atx_nvrtc_headers(nvrtc, 0), VERSIONS[i].expected, what);
        else
            cr_expect_null(atx_nvrtc_headers(nvrtc, 0), "%s: found %s", what, atx_nvrtc_headers(nvrtc, 0));
        atx_nvrtc_close(nvrtc);
    }
}

/* ---- a header that is missing ---- */

static const struct {
    const char *version, *header, *expected;
    int headers; /* version of what is there, 0: nothing */
} MISSING[] = {
    { "13.99", "cuda/barrier", "pip install nvidia-cuda-cccl`", 13990 },
    { "13.99", "nv/target", "pip install nvidia-cuda-cccl`", 13990 },
    { "13.99", "crt/mma.h", "pip install 'nvidia-cuda-crt==13.99.*'`", 13990 },
    { "13.99", "cuda_fp16.h", "found no headers of CUDA 13.99 beside NVRTC", 0 },
    { "13.99", "cuda_fp16.h", "pip install 'nvidia-cuda-runtime==13.99.*'`", 0 },
    { "12.99", "cub/block/block_reduce.cuh", "pip install 'nvidia-cuda-cccl-cu12==12.99.*'`", 12990 },
    { "12.99", "crt/mma.h", "pip install 'nvidia-cuda-nvcc-cu12==12.99.*'`", 12990 },
    { "12.99", "vector", "NVRTC has none of the host's headers", 12990 },
};

Test(nvrtc_open, a_missing_header_is_told_with_the_wheel_that_has_it)
{
    for (size_t i = 0; i < sizeof MISSING / sizeof *MISSING; i++) {
        atx_str code = { 0 }, log = { 0 };
        atx_resources unused;
        at_error err = { 0 };
        bool ok = true;
        shell("rm -rf cuda");
        put_library("cuda/lib64/libnvrtc.so", MISSING[i].version);
        cr_assert_eq(shell("echo 'k.cu(1): error: cannot open source file \"%s\"' > cuda/lib64/log",
                           MISSING[i].header),
                     0);
        if (MISSING[i].headers)
            put_headers("cuda/include", MISSING[i].headers);
        atx_nvrtc *nvrtc = open_file("cuda/lib64/libnvrtc.so");
        cr_assert_eq(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &unused,
                                       &(atx_nvrtc_source){ "", "k.cu", 90, ATX_CUBIN }, &err),
                     AT_OK, "%s", err.text);
        cr_expect(!ok && strstr(atx_str_text(&log), MISSING[i].expected), "%s: expected %s\n%s",
                  MISSING[i].header, MISSING[i].expected, atx_str_text(&log));
        atx_str_clear(&code);
        atx_str_clear(&log);
        atx_nvrtc_close(nvrtc);
    }
}

/* Else a user would look for a fault in the kernel. */
Test(nvrtc_open, headers_of_another_version_are_named_when_a_kernel_fails_in_them)
{
    atx_str code = { 0 }, log = { 0 };
    atx_resources unused;
    at_error err = { 0 };
    bool ok = true;
    put_library("cuda/lib64/libnvrtc.so", "12.99");
    put_headers("cuda/include", 12980);
    cr_assert_eq(
        shell("echo \"$(realpath cuda/include)/cuda_fp16.hpp(7): error: what is this\" > cuda/lib64/log"), 0);
    atx_nvrtc *nvrtc = open_file("cuda/lib64/libnvrtc.so");
    cr_assert_eq(atx_nvrtc_compile(nvrtc, &ok, &code, &log, &unused,
                                   &(atx_nvrtc_source){ "", "k.cu", 90, ATX_CUBIN }, &err),
                 AT_OK);
    cr_expect(strstr(atx_str_text(&log), "are of CUDA 12.98, and NVRTC is 12.99"), "%s", atx_str_text(&log));
    atx_str_clear(&code);
    atx_str_clear(&log);
    atx_nvrtc_close(nvrtc);
}

/* ---- the driver ---- */

Test(nvrtc_open, a_driver_of_an_older_major_version_is_refused_and_the_rest_is_not)
{
    static const struct {
        int cuda;
        bool loads;
    } DRIVERS[] = { { 0, true },     { 13000, true },  { 13050, true },
                    { 14000, true }, { 12090, false }, { 11080, false } };
    at_error err = { 0 };
    put_library("cuda/lib64/libnvrtc.so.13", "13.99");
    atx_nvrtc *nvrtc = open_file("cuda/lib64/libnvrtc.so.13");
    for (size_t i = 0; i < sizeof DRIVERS / sizeof *DRIVERS; i++)
        cr_expect_eq(atx_nvrtc_check_driver(nvrtc, DRIVERS[i].cuda, &err),
                     DRIVERS[i].loads ? AT_OK : AT_ERR_DEVICE, "%d", DRIVERS[i].cuda);
    cr_expect(strstr(err.text, "found NVRTC 13.99 (") && strstr(err.text, "a driver for CUDA 11.8") &&
                  strstr(err.text, "pip install nvidia-cuda-nvrtc-cu11 "),
              "%s", err.text);
    atx_nvrtc_close(nvrtc);
}

/* Both may be installed: the newer one is found first. */
Test(nvrtc_open, another_nvrtc_that_the_driver_loads_from_is_named)
{
    char advice[LINE];
    at_error err = { 0 };
    put_library("cuda/lib64/libnvrtc.so.13", "13.99");
    put_library("old/lib64/libnvrtc.so.12", "12.99");
    setenv("CUDA_PATH", in_root("old"), 1);
    setenv("CUDA_HOME", in_root("cuda"), 1);
    atx_nvrtc *nvrtc = must_open();
    cr_assert_eq(atx_nvrtc_check_driver(nvrtc, 12040, &err), AT_ERR_DEVICE);
    snprintf(advice, sizeof advice,
             "expected NVRTC of CUDA 12: set AUTOTUNE_NVRTC=%s/old/lib64/libnvrtc.so.12, which is 12.99",
             root);
    cr_expect(strstr(err.text, advice), "%s", err.text);
    atx_nvrtc_close(nvrtc);
}

/* ---- nothing found ---- */

/* Where the machine's own can be hidden: in namespaces of this test's own. */
Test(nvrtc_open, what_was_tried_is_told_in_whole_lines)
{
    char said[2 * LINE], folder[LINE / 2] = "";
    if (shell("unshare -rm true 2>/dev/null") != 0)
        cr_skip_test("there are no namespaces here");
    for (int i = 0; i < 100; i++)
        strcat(folder, "/.");
    FILE *in = fopen(in_root("script"), "w");
    fprintf(in,
            "for d in '%s' /usr/local/cuda; do [ ! -e \"$d\" ] || mount -t tmpfs none \"$(realpath \"$d\")\" "
            "|| exit 9; done\n"
            "export CUDA_HOME='%s/a%s' CUDA_PATH='%s/b%s'\n"
            "'%s' check --only tiny --sample 1 >'%s/said' 2>&1\n",
            AT_NVRTC_FOLDER, root, folder, root, folder, AT_REAL, root);
    fclose(in);
    if (shell("unshare -rm sh ./script") == 9)
        cr_skip_test("nothing can be hidden here");
    in = fopen(in_root("said"), "r");
    size_t len = fread(said, 1, sizeof said - 1, in);
    fclose(in);
    said[len] = '\0';
    if (!strstr(said, "was not found"))
        cr_skip_test("NVRTC is among the system's libraries");
    cr_expect(len < 1024 + 20 && strcmp(said + len - 6, " more\n") == 0, "%s", said);
    for (char *at = strchr(strstr(said, "Tried:"), '\n'); at && at[1]; at = strchr(at + 1, '\n'))
        cr_expect(strncmp(at, "\n  and ", 7) == 0 || strstr(at, "libnvrtc.so*"), "%s", at);
}
