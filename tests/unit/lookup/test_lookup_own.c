/*
 * test_lookup_own.c - of a store with many winners a question reads those that it is about, and its answer
 * does not depend on earlier reads. Counted are the answers that the store copies, and the rows that
 * SQLite gives; linked with --wrap for the functions that do it.
 */
#include "lookup/lookup_internal.h"
#include "lookup_support.h"
#include "store_support.h"

enum { MANY = 200 };

static size_t copied, rows;

bool __real_atx_columns_own(void *record, const atx_columns *columns);
bool __wrap_atx_columns_own(void *record, const atx_columns *columns);
int __real_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_step(sqlite3_stmt *statement);

bool __wrap_atx_columns_own(void *record, const atx_columns *columns)
{
    copied += columns == &atx_answer_columns;
    return __real_atx_columns_own(record, columns);
}

int __wrap_sqlite3_step(sqlite3_stmt *statement)
{
    int code = __real_sqlite3_step(statement);
    rows += code == SQLITE_ROW;
    return code;
}

TestSuite(lookup_own, .init = begin, .fini = end);

/* As put() does, of another type or operation. */
static void put_of(const char *op_name, const char *shape, const char *type_key, const char *device)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, op_name);
    const atx_template *t = atx_catalog_template(w.catalog, op, 0);
    const atx_problem_key key = { op_name, shape, type_key, 1, 8, 0 };
    atx_fingerprint f = {
        .cc = 90, .sms = 132, .memory_mib = 1, .driver = "1", .nvrtc = "13.0", .tool = "1"
    };
    const atx_winner winner = { .template_name = t->name,
                                .template_hash = t->text.hash,
                                .config = "",
                                .timing.median_s = 1e-5,
                                .trials = 1,
                                .space_count = 1,
                                .geometry.grid = { 7, 1, 1 },
                                .geometry.block = { 32, 8, 1 } };
    snprintf(f.device, sizeof f.device, "%s", device);
    cr_assert_eq(atx_store_put_winner(w.store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
}

/* 64x64, 64x128 ... of four bytes. */
static void put_many(int count)
{
    char shape[32];
    for (int i = 1; i <= count; i++) {
        snprintf(shape, sizeof shape, "64x%d", 64 * i);
        put(shape, "tile_rows", TILE_ROWS, "NVIDIA H200");
    }
}

static void reopen(void)
{
    at_error err = { 0 };
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    copied = rows = 0;
    cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
}

Test(lookup_own, to_open_reads_as_much_of_many_winners_as_of_few)
{
    put_many(3);
    reopen();
    size_t few = rows, answers = copied;
    put_many(MANY);
    reopen();
    cr_expect_eq(rows, few, "%zu rows, and %zu of few", rows, few);
    cr_expect(copied == answers && copied <= 1, "%zu answers", copied);
}

Test(lookup_own, an_exact_answer_reads_the_winners_of_its_problem)
{
    put_many(MANY);
    put("64x640", "naive", NAIVE, "NVIDIA A100");
    reopen();
    copied = rows = 0;
    cr_assert_eq(ask(64, 640, "H200").match, ATX_MATCH_EXACT);
    cr_expect_eq(copied, 2, "those of both devices, not %zu", copied);
    cr_expect_lt(rows, 10, "%zu rows", rows);
    cr_assert_str_eq(ask(64, 640, "A100").answer->fingerprint.device, "NVIDIA A100");
    cr_expect_eq(copied, 2, "nothing is read for that");
}

Test(lookup_own, an_exact_answer_is_read_once)
{
    put_many(MANY);
    reopen();
    for (int i = 1; i <= MANY; i++)
        cr_assert_eq(ask(64, 64 * i, "").match, ATX_MATCH_EXACT, "64x%d", 64 * i);
    copied = 0;
    for (int i = 1; i <= MANY; i++)
        cr_assert_eq(ask(64, 64 * i, "").match, ATX_MATCH_EXACT, "64x%d", 64 * i);
    cr_expect_eq(copied, 0, "%zu answers", copied);
}

Test(lookup_own, a_near_answer_reads_the_winners_of_its_operation_and_type_once)
{
    put_of("transpose", "64x65", "b2", "NVIDIA H200");
    put_of("copy", "1000", "b4", "NVIDIA H200");
    put_many(MANY);
    reopen();
    ask(64, 64, "H200");
    copied = 0;
    cr_assert_eq(ask(64, 1000, "H200").match, ATX_MATCH_NEAR);
    cr_expect_eq(copied, MANY, "%zu answers", copied);
    cr_expect_eq(w.lookup->index.count, MANY, "64x64, which was read before, is there once");
    copied = 0;
    cr_assert_eq(ask(64, 1001, "H200").match, ATX_MATCH_NEAR);
    cr_assert_eq(ask(64, 128, "H200").match, ATX_MATCH_EXACT);
    cr_expect_eq(copied, 0, "%zu answers", copied);
}

Test(lookup_own, where_no_device_is_named_the_only_one_is_found_without_reading_its_winners)
{
    put_many(MANY);
    put("64x64", "naive", NAIVE, "replay of NVIDIA A100");
    reopen();
    copied = rows = 0;
    atx_found f = ask(64, 640, "");
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_assert_str_eq(f.answer->fingerprint.device, "NVIDIA H200");
    cr_expect(copied <= 2 && rows < 10, "%zu answers, %zu rows", copied, rows);
}

static void expect_device(const char *device)
{
    reopen();
    atx_found f = ask(64, 64, "");
    cr_expect_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_expect_str_eq(f.answer->fingerprint.device, device);
}

/* A warm winner gives way to one that was measured cold, and is not the newest then. */
Test(lookup_own, of_several_devices_that_with_the_newest_winner_to_use_is_meant)
{
    put("64x64", "naive", NAIVE, "NVIDIA H200");
    put("64x64", "naive", NAIVE, "NVIDIA A100");
    expect_device("NVIDIA A100");
    put("64x128", "naive", NAIVE, "NVIDIA H200");
    expect_device("NVIDIA H200");
    put_row(w.store, (row){ "64x64", "naive", NAIVE, "NVIDIA A100", NULL, 0, true });
    expect_device("NVIDIA H200");
    put_row(w.store, (row){ "64x256", "naive", NAIVE, "NVIDIA A100", NULL, 0, true });
    expect_device("NVIDIA A100");
}

/* An operation of a folder that is not named today. */
Test(lookup_own, winners_of_unknown_operations_name_no_device)
{
    at_error err = { 0 };
    const atx_problem_key key = { "unknown", "64", "b4", 1, 8, 0 };
    const atx_winner winner = winner_of("", 1e-5);
    atx_fingerprint f = H200;
    snprintf(f.device, sizeof f.device, "NVIDIA B200");
    put("64x64", "naive", NAIVE, "NVIDIA H200");
    cr_assert_eq(atx_store_put_winner(w.store, 0, &key, &f, &winner, &err), AT_OK, "%s", err.text);
    expect_device("NVIDIA H200");
}

/* What may answer each of these problems: the user's, what comes with the program, a near one, nothing of
 * both. The user's of 1000000x128 is of a template as it is now, and does not fit. */
static const struct question {
    int64_t rows, cols;
    const char *device;
} QUESTIONS[] = { { 4096, 4096, "NVIDIA H200" }, { 4096, 4096, "" },       { 1600, 6400, "NVIDIA H200" },
                  { 1600, 6401, "NVIDIA H200" }, { 2048, 32768, "H200" },  { 16777216, 3, "NVIDIA H200" },
                  { 64, 64, "NVIDIA A100" },     { 64, 64, "NVIDIA H200" } };
enum { QUESTION_COUNT = sizeof QUESTIONS / sizeof *QUESTIONS };

typedef struct reply {
    atx_match match;
    bool shipped;
    char shape[64], device[128], config[128];
} reply;

static bool is_same(const reply *a, const reply *b)
{
    return a->match == b->match && a->shipped == b->shipped && strcmp(a->shape, b->shape) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->config, b->config) == 0;
}

static void ask_each(reply *out, int first, int step)
{
    reopen();
    atx_lookup_add_shipped(w.lookup);
    for (int i = 0; i < QUESTION_COUNT; i++) {
        int k = (first + i * step) % QUESTION_COUNT;
        atx_found f = ask(QUESTIONS[k].rows, QUESTIONS[k].cols, QUESTIONS[k].device);
        out[k] = (reply){ .match = f.match, .shipped = f.shipped };
        snprintf(out[k].shape, sizeof out[k].shape, "%s", f.answer->shape);
        snprintf(out[k].device, sizeof out[k].device, "%s", f.answer->fingerprint.device);
        snprintf(out[k].config, sizeof out[k].config, "%s", f.answer->winner.config);
    }
}

Test(lookup_own, an_answer_does_not_depend_on_what_was_asked_before)
{
    reply forth[QUESTION_COUNT], other[QUESTION_COUNT];
    unsetenv("AUTOTUNE_NO_SHIPPED");
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    put_many(5);
    put("4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200");
    put("64x64", "naive", NAIVE, "NVIDIA A100");
    put("16777216x3", "reg_vec", REG_VEC, "NVIDIA H200"); /* 4 columns at once of 3 */
    put_row(w.store,
            (row){ "2048x32768", "tile_rows", TILE_ROWS, "NVIDIA H200", "of another day", 0, false });
    ask_each(forth, 0, 1);
    cr_assert(forth[0].match == ATX_MATCH_EXACT && !forth[0].shipped);
    cr_assert(forth[2].match == ATX_MATCH_EXACT && forth[2].shipped);
    cr_assert(forth[3].match == ATX_MATCH_NEAR && forth[3].shipped);
    cr_assert(forth[4].match == ATX_MATCH_EXACT && forth[4].shipped);
    cr_assert_neq(forth[5].match, ATX_MATCH_EXACT, "the user's is there, though it does not fit");
    for (int first = 0; first < QUESTION_COUNT; first++)
        for (int step = 1; step <= 3; step += 2) {
            ask_each(other, first, step);
            for (int k = 0; k < QUESTION_COUNT; k++)
                cr_expect(is_same(&forth[k], &other[k]), "question %d, after %d by %d: %s %s, and %s %s", k,
                          first, step, forth[k].shape, forth[k].device, other[k].shape, other[k].device);
        }
}

/* The table's first page; of one that has several, with `leaf`, the one that its oldest rows are on. */
static void damage(const char *table, bool leaf)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    long page = strtol(scalar(w.store, sql).text, NULL, 10);
    long bytes = strtol(scalar(w.store, "PRAGMA page_size").text, NULL, 10);
    unsigned char *content = malloc((size_t)bytes);
    atx_store_close(w.store);
    w.store = NULL;
    FILE *file = fopen(w.path, "r+b");
    cr_assert(content && file && page > 1 && bytes > 0);
    if (leaf) { /* an inner page of a table: its first cell begins with the number of the first page below */
        cr_assert(fseek(file, (page - 1) * bytes, SEEK_SET) == 0);
        cr_assert_eq(fread(content, 1, (size_t)bytes, file), (size_t)bytes);
        cr_assert_eq(content[0], 5, "the table has one page");
        const unsigned char *first = content + (content[12] << 8 | content[13]);
        page = (long)first[0] << 24 | first[1] << 16 | first[2] << 8 | first[3];
    }
    memset(content, 0x5a, (size_t)bytes);
    cr_assert(fseek(file, (page - 1) * bytes, SEEK_SET) == 0);
    cr_assert_eq(fwrite(content, 1, (size_t)bytes, file), (size_t)bytes);
    fclose(file);
    free(content);
}

Test(lookup_own, a_part_that_cannot_be_read_is_told_by_the_question_about_it)
{
    at_error err = { 0 };
    atx_problem problem;
    atx_found found;
    const int64_t first[] = { 64, 64 };
    put_many(MANY);
    cr_assert_str_eq(scalar(w.store, "PRAGMA journal_mode = DELETE").text, "delete");
    damage("winner", true);
    w.store = open_ok(w.path, ATX_STORE_READ);
    reopen();
    cr_assert_eq(ask(64, 64 * MANY, "H200").match, ATX_MATCH_EXACT);
    cr_assert_eq(
        atx_problem_init(&problem, atx_catalog_find_op(w.catalog, "transpose"), ATX_F32, first, 2, &err),
        AT_OK);
    cr_assert_eq(atx_lookup_find(&found, w.lookup, &problem, NULL, &err), AT_ERR_STORE);
    cr_expect(strstr(err.text, w.path) && strstr(err.text, "damaged"), "%s", err.text);
    cr_assert_eq(ask(64, 64 * (MANY - 1), "H200").match, ATX_MATCH_EXACT, "others are answered");
}

Test(lookup_own, a_table_that_cannot_be_read_is_told_when_it_is_opened)
{
    static const char *const TABLES[] = { "winner", "problem", "fingerprint", "device", "template" };
    for (int i = 0; i < 5; i++) {
        at_error err = { 0 };
        put_many(1);
        cr_assert_str_eq(scalar(w.store, "PRAGMA journal_mode = DELETE").text, "delete");
        damage(TABLES[i], false);
        w.store = open_ok(w.path, ATX_STORE_READ);
        cr_expect_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_ERR_STORE, "%s", TABLES[i]);
        cr_expect(strstr(err.text, "damaged"), "%s: %s", TABLES[i], err.text);
        end();
        memset(&w, 0, sizeof w);
        begin();
    }
}
