/* rendered.c - see rendered.h. */
#include "rendered.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const at__limits cpu_limits = {
    .cc = 90,
    .sms = 2,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_shared_bytes = 232448,
    .max_static_shared_bytes = 49152,
    .max_registers_per_block = 65536,
    .max_grid_x = 2147483647,
    .l2_bytes = 50 << 20,
    .memory_bytes = (int64_t)80 << 30,
};

void must(at_status status, const at_error *err)
{
    if (status == AT_OK)
        return;
    fprintf(stderr, "gen: %s\n", err->text);
    exit(1);
}

static size_t text_count; /* over all files: kernels have C names */

size_t add_kernels(file *f, const char *text, const char *const *names, int count, int64_t shared_bytes)
{
    for (size_t i = 0; i < f->text_count; i++)
        if (strcmp(f->texts[i], text) == 0)
            return text_count - f->text_count + i;

    char *copy = at__text_copy(text, strlen(text));
    if (!copy || !at__grow(&f->texts, &f->text_cap, f->text_count, sizeof *f->texts))
        must(AT_ERR_MEMORY, &(at_error){ .text = "out of memory" });
    f->texts[f->text_count++] = copy;

    const size_t n = text_count++;
    at__str_add(&f->body, "\n");
    for (int i = 0; i < count; i++)
        at__str_addf(&f->body, i ? "#define %s kernel_%zu_%d\n" : "#define %s kernel_%zu\n", names[i], n, i);
    at__str_addf(&f->body, "#define shared_memory shared_memory_%zu\nnamespace case_%zu {\n%s\n", n, n, text);
    if (shared_bytes > 0)
        at__str_addf(&f->body,
                     "alignas(16) thread_local uint4 shared_memory[(%" PRId64
                     " + cpu_guard_bytes + 15) / 16];\n"
                     "unsigned char *shared() { return (unsigned char *)shared_memory; }\n",
                     shared_bytes);
    else
        at__str_add(&f->body, "constexpr unsigned char *(*shared)() = nullptr;\n");
    at__str_add(&f->body, "}\n#undef shared_memory\n");
    for (int i = 0; i < count; i++)
        at__str_addf(&f->body, "#undef %s\n", names[i]);
    return n;
}

void pass_sizes(at__str *text)
{
    static const char NAMELESS[] = "#define AUTOTUNE_ARG(name)\n",
                      NAMED[] = "#define AUTOTUNE_ARG(name) name\n";
    char *from = text->data ? strstr(text->data, NAMELESS) : NULL;
    char *rest = from ? strstr(from, "#line ") : NULL;
    if (!rest)
        return;
    at__str changed = { 0 };
    at__str_add_bytes(&changed, text->data, (size_t)(from - text->data));
    at__str_add(&changed, NAMED);
    at__str_add(&changed, rest);
    at__str_clear(text);
    *text = changed;
}

int pick(int64_t picks[MAX_PICKS], const at__space *space, int random, at__rng *rng)
{
    const at__template *t = at__space_template(space);
    const int64_t count = at__space_count(space);
    int64_t wish[MAX_PICKS] = { 0, count - 1 };
    at__config config = { { 0 } };
    int picked = 0;

    memcpy(config.values, t->defaults, sizeof config.values);
    wish[2] = at__space_find(space, &config);
    const int wishes = random + 3 < MAX_PICKS ? random + 3 : MAX_PICKS;
    for (int i = 3; i < wishes; i++)
        wish[i] = at__space_sample(space, rng);
    for (int i = 0; i < wishes; i++) {
        bool fresh = wish[i] >= 0;
        for (int k = 0; k < picked; k++)
            fresh = fresh && picks[k] != wish[i];
        if (fresh)
            picks[picked++] = wish[i];
    }
    return picked;
}

void write_generated(const file *f, const char *folder, const char *name, const char *table)
{
    char path[4096];
    FILE *to;

    if (f->body.failed || f->rows.failed)
        must(AT_ERR_MEMORY, &(at_error){ .text = "out of memory" });
    snprintf(path, sizeof path, "%s/%s.cpp", folder, name);
    if (!(to = fopen(path, "w"))) {
        perror(path);
        exit(1);
    }
    fprintf(to, "/* Made by tests/cpu/gen*.c; do not edit. */\n#include \"shim.h\"\n%s\n%s",
            at__str_text(&f->body), table);
    if (fclose(to) != 0) {
        perror(path);
        exit(1);
    }
}

void file_clear(file *f)
{
    for (size_t i = 0; i < f->text_count; i++)
        free(f->texts[i]);
    free(f->texts);
    at__str_clear(&f->body);
    at__str_clear(&f->rows);
    *f = (file){ 0 };
}
