/*
 * libraries.c - our own JSON reader and hash beside the libraries that could take their place; no GPU needed.
 *
 *     bench_libraries FILE.json[.gz]
 *
 * The libraries are opened at run time: one that is not installed is left out, and nothing depends on any.
 * Times are CPU time, the best of several runs. Memory is how much the peak grows while the file is read, in
 * a process of its own. The last table is what each reader makes of questionable texts.
 */
#include "util/json.h"
#include "util/sha256.h"
#include "util/text_file.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 15, HASHED_BYTES = 16 << 20, ERROR_BYTES = 1024 };

/* The one function of a library that is measured, and what releases its result. */
typedef union code {
    void *found;
    void *(*jansson)(const char *text, size_t len, size_t flags, void *error);
    void *(*cjson)(const char *text, size_t len);
    void *(*yajl)(const char *text, char *error, size_t error_bytes);
    void (*release)(void *tree);
    unsigned char *(*libcrypto)(const void *data, size_t count, unsigned char digest[32]);
    char *(*libmd)(const void *data, size_t count, char text[AT__HASH_TEXT]);
} code;

typedef struct reader {
    const char *name, *library, *reads, *releases;
    void *(*call)(code read, const at__str *text); /* NULL: refused */
    code read, release;
    bool open;
} reader;

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *find(const char *library, const char *name)
{
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    return handle ? dlsym(handle, name) : NULL;
}

/* ---- reading JSON ---- */

static void *call_ours(code read, const at__str *text)
{
    (void)read;
    at__json *json = malloc(sizeof *json);
    if (json && at__json_read(json, at__str_text(text), text->len, "text", NULL) == AT_OK)
        return json;
    free(json);
    return NULL;
}

static void release_ours(void *tree)
{
    at__json_clear(tree);
    free(tree);
}

static void *call_jansson(code read, const at__str *text)
{
    return read.jansson(at__str_text(text), text->len, 0, NULL);
}

static void *call_cjson(code read, const at__str *text)
{
    return read.cjson(at__str_text(text), text->len);
}

static void *call_yajl(code read, const at__str *text)
{
    char error[ERROR_BYTES];
    return read.yajl(at__str_text(text), error, sizeof error);
}

static double best_read_s(const reader *r, const at__str *text)
{
    double best_s = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double begin_s = cpu_s();
        void *tree = r->call(r->read, text);
        double passed_s = cpu_s() - begin_s;
        if (!tree)
            return 0;
        r->release.release(tree);
        best_s = passed_s < best_s ? passed_s : best_s;
    }
    return best_s;
}

static long peak_kib(void)
{
    struct rusage usage = { 0 };
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* By how much the peak grows, KiB; -1: it could not be found out. */
static long grown_kib(const reader *r, const at__str *text)
{
    int ends[2];
    long kib = -1;
    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    malloc_trim(0); /* what lies free here would hide what the child needs */
    pid_t child = fork();
    if (child == 0) {
        kib = -peak_kib();
        kib = r->call(r->read, text) ? kib + peak_kib() : -1;
        _exit(write(ends[1], &kib, sizeof kib) != sizeof kib);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &kib, sizeof kib) != sizeof kib)
        kib = -1;
    if (child > 0)
        waitpid(child, NULL, 0);
    close(ends[0]);
    return kib;
}

static void measure_reading(reader *readers, int count, const char *path, const at__str *text)
{
    printf("reading %s, %.1f MB\n", path, 1e-6 * (double)text->len);
    printf("%-10s %8s %8s %9s\n", "", "CPU ms", "MB/s", "peak MiB");
    for (int i = 0; i < count; i++) {
        reader *r = &readers[i];
        long kib = r->open ? grown_kib(r, text) : -1;
        double read_s = r->open ? best_read_s(r, text) : 0;
        if (!r->open)
            printf("%-10s %8s\n", r->name, "not installed");
        else if (read_s <= 0)
            printf("%-10s %8s\n", r->name, "refused");
        else
            printf("%-10s %8.1f %8.0f %9.1f\n", r->name, 1e3 * read_s, 1e-6 * (double)text->len / read_s,
                   (double)kib / 1024);
    }
}

/* ---- what is taken ---- */

static const struct {
    const char *what, *text;
} QUESTIONABLE[] = {
    { "NaN, as Python writes it", "{\"time\": NaN}" },
    { "torn behind a value", "{\"a\": {\"time\": 1.5}, \"b\": {" },
    { "two equal names", "{\"a\": 1, \"a\": 2}" },
    { "an integer of 2^63", "[9223372036854775808]" },
    { "a number that begins with 0", "[01]" },
    { "an unknown escape", "[\"\\q\"]" },
    { "half a surrogate pair", "[\"\\ud83d\"]" },
    { "a byte that is no UTF-8", "[\"\xff\"]" },
    { "no comma", "[1 2]" },
    { "a comma too many", "[1,]" },
    { "more behind the end", "[1] x" },
};

static void show_answers(const reader *readers, int count)
{
    printf("\n%-30s", "");
    for (int i = 0; i < count; i++)
        printf(" %-8s", readers[i].name);
    for (size_t k = 0; k < sizeof QUESTIONABLE / sizeof *QUESTIONABLE; k++) {
        at__str text = { 0 };
        at__str_add(&text, QUESTIONABLE[k].text);
        printf("\n%-30s", QUESTIONABLE[k].what);
        for (int i = 0; i < count; i++) {
            void *tree = readers[i].open ? readers[i].call(readers[i].read, &text) : NULL;
            printf(" %-8s", !readers[i].open ? "?" : tree ? "takes" : "refuses");
            if (tree)
                readers[i].release.release(tree);
        }
        at__str_clear(&text);
    }
    printf("\n");
}

/* ---- hashing ---- */

static void call_our_hash(code hash, const void *data, size_t count)
{
    char text[AT__HASH_TEXT];
    (void)hash;
    at__hash_text(text, data, count);
}

static void call_libmd(code hash, const void *data, size_t count)
{
    char text[AT__HASH_TEXT];
    hash.libmd(data, count, text);
}

static void call_libcrypto(code hash, const void *data, size_t count)
{
    unsigned char digest[32];
    hash.libcrypto(data, count, digest);
}

static void measure_hashing(void)
{
    const struct {
        const char *name;
        void (*call)(code hash, const void *data, size_t count);
        void *found;
    } HASHES[] = { { "ours", call_our_hash, "ours" },
                   { "libmd", call_libmd, find("libmd.so.0", "SHA256Data") },
                   { "libcrypto", call_libcrypto, find("libcrypto.so.3", "SHA256") } };
    void *data = calloc(1, HASHED_BYTES);
    printf("\nhashing %d MiB\n%-10s %8s %22s\n", HASHED_BYTES >> 20, "", "MB/s", "us for a 16 KiB kernel");
    for (size_t i = 0; data && i < sizeof HASHES / sizeof *HASHES; i++) {
        double best_s = 1e9;
        code hash = { .found = HASHES[i].found };
        if (!hash.found) {
            printf("%-10s not installed\n", HASHES[i].name);
            continue;
        }
        for (int k = 0; k < RUNS; k++) {
            double begin_s = cpu_s();
            HASHES[i].call(hash, data, HASHED_BYTES);
            double passed_s = cpu_s() - begin_s;
            best_s = passed_s < best_s ? passed_s : best_s;
        }
        printf("%-10s %8.0f %22.1f\n", HASHES[i].name, 1e-6 * HASHED_BYTES / best_s,
               1e6 * best_s * 16384 / HASHED_BYTES);
    }
    free(data);
}

int main(int argc, char **argv)
{
    reader readers[] = {
        { .name = "ours", .call = call_ours, .release.release = release_ours, .open = true },
        { "jansson", "libjansson.so.4", "json_loadb", "json_delete", .call = call_jansson },
        { "cJSON", "libcjson.so.1", "cJSON_ParseWithLength", "cJSON_Delete", .call = call_cjson },
        { "yajl", "libyajl.so.2", "yajl_tree_parse", "yajl_tree_free", .call = call_yajl },
    };
    enum { COUNT = sizeof readers / sizeof *readers };
    at__text_file *file = NULL;
    at__str text = { 0 };
    at_error err = { 0 };
    if (argc != 2) {
        fputs("usage: bench_libraries FILE.json[.gz]\n", stderr);
        return 2;
    }
    at_status status = at__text_file_open(&file, argv[1], &err);
    if (status == AT_OK)
        status = at__text_file_all(file, &text, AT__JSON_MAX_TEXT, &err);
    for (int i = 1; i < COUNT; i++) {
        readers[i].read.found = find(readers[i].library, readers[i].reads);
        readers[i].release.found = find(readers[i].library, readers[i].releases);
        readers[i].open = readers[i].read.found && readers[i].release.found;
    }
    if (status == AT_OK) {
        measure_reading(readers, COUNT, argv[1], &text);
        show_answers(readers, COUNT);
        measure_hashing();
    } else {
        fprintf(stderr, "bench_libraries: %s\n", err.text);
    }
    at__text_file_close(file);
    at__str_clear(&text);
    return status == AT_OK ? 0 : 1;
}
