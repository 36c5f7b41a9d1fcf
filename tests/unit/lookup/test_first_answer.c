/*
 * test_first_answer.c - what a process does for the first answer that it is asked for: it must not grow with
 * what ships of other operations and devices. Counted is work, not time: files read, bytes hashed, rows of
 * winners, statements; linked with --wrap for the functions that do it.
 */
#include "db/store_internal.h"
#include "declare/declare_common.h"
#include "lang/catalog.h"
#include "lookup/lookup.h"
#include "model/model.h"

#include <autotune/autotune.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE "NVIDIA H200"

static struct work {
    size_t ops, templates, read, hashed_bytes, rows, statements, compiled, evaluated, allocated;
} work;

at_status __real_atx_op_read_with(atx_op **out, const atx_commons *commons, const char *source, size_t len,
                                  const char *file, at_error *err);
at_status __wrap_atx_op_read_with(atx_op **out, const atx_commons *commons, const char *source, size_t len,
                                  const char *file, at_error *err);
at_status __real_atx_template_read_with(atx_template **out, const atx_op *op, const atx_commons *commons,
                                        const char *source, size_t len, const char *file, at_error *err);
at_status __wrap_atx_template_read_with(atx_template **out, const atx_op *op, const atx_commons *commons,
                                        const char *source, size_t len, const char *file, at_error *err);
at_status __real_atx_image_load(atx_template **out, const atx_op *op, const atx_images *images, size_t i,
                                at_error *err);
at_status __wrap_atx_image_load(atx_template **out, const atx_op *op, const atx_images *images, size_t i,
                                at_error *err);
at_status __real_atx_expr_compile_first(atx_expr **out, size_t *used, const char *text, size_t len,
                                        const atx_scope *scope, atx_where where, at_error *err);
at_status __wrap_atx_expr_compile_first(atx_expr **out, size_t *used, const char *text, size_t len,
                                        const atx_scope *scope, atx_where where, at_error *err);
at_status __real_atx_expr_eval(int64_t *out, const atx_expr *expr, const int64_t *slots, at_error *err);
at_status __wrap_atx_expr_eval(int64_t *out, const atx_expr *expr, const int64_t *slots, at_error *err);
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void __real_atx_hash_text(char out[ATX_HASH_TEXT], const void *data, size_t count);
void __wrap_atx_hash_text(char out[ATX_HASH_TEXT], const void *data, size_t count);
void __real_atx_shipped_read(atx_shipped_row *out, uint32_t row);
void __wrap_atx_shipped_read(atx_shipped_row *out, uint32_t row);
int __real_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned int flags,
                              sqlite3_stmt **statement, const char **tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned int flags,
                              sqlite3_stmt **statement, const char **tail);

at_status __wrap_atx_op_read_with(atx_op **out, const atx_commons *commons, const char *source, size_t len,
                                  const char *file, at_error *err)
{
    work.ops++;
    return __real_atx_op_read_with(out, commons, source, len, file, err);
}

at_status __wrap_atx_template_read_with(atx_template **out, const atx_op *op, const atx_commons *commons,
                                        const char *source, size_t len, const char *file, at_error *err)
{
    work.read++;
    return __real_atx_template_read_with(out, op, commons, source, len, file, err);
}

at_status __wrap_atx_image_load(atx_template **out, const atx_op *op, const atx_images *images, size_t i,
                                at_error *err)
{
    work.templates++;
    return __real_atx_image_load(out, op, images, i, err);
}

void __wrap_atx_hash_text(char out[ATX_HASH_TEXT], const void *data, size_t count)
{
    work.hashed_bytes += count;
    __real_atx_hash_text(out, data, count);
}

void __wrap_atx_shipped_read(atx_shipped_row *out, uint32_t row)
{
    work.rows++;
    __real_atx_shipped_read(out, row);
}

int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int bytes, unsigned int flags,
                              sqlite3_stmt **statement, const char **tail)
{
    work.statements++;
    return __real_sqlite3_prepare_v3(db, sql, bytes, flags, statement, tail);
}

at_status __wrap_atx_expr_compile_first(atx_expr **out, size_t *used, const char *text, size_t len,
                                        const atx_scope *scope, atx_where where, at_error *err)
{
    work.compiled++;
    return __real_atx_expr_compile_first(out, used, text, len, scope, where, err);
}

at_status __wrap_atx_expr_eval(int64_t *out, const atx_expr *expr, const int64_t *slots, at_error *err)
{
    work.evaluated++;
    return __real_atx_expr_eval(out, expr, slots, err);
}

void *__wrap_malloc(size_t bytes)
{
    work.allocated += bytes;
    return __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    work.allocated += count * bytes;
    return __real_calloc(count, bytes);
}

/* ---- a machine on which nothing was tuned ---- */

static at_tuner *tuner;

static void begin(void)
{
    at_error err = { 0 };
    unsetenv("AUTOTUNE_NO_SHIPPED");
    unsetenv("AUTOTUNE_DB");
    setenv("XDG_DATA_HOME", "/nonexistent/autotune", 1);
    cr_assert_eq(at_open(&tuner, NULL, &err), AT_OK, "%s", err.text);
}

static void end(void)
{
    at_close(tuner);
}

TestSuite(first_answer, .init = begin, .fini = end);

static void ask(at_match expected, int64_t rows, int64_t cols)
{
    static const at_target HERE = { .struct_bytes = sizeof(at_target), .device = DEVICE };
    const at_problem p = { .struct_bytes = sizeof(at_problem),
                           .op = "transpose",
                           .type = AT_TYPE_F32,
                           .size_count = 2,
                           .sizes = { rows, cols } };
    at_error err = { 0 };
    at_found *found = NULL;
    cr_assert_eq(at_find(&found, tuner, &p, &HERE, &err), AT_OK, "%s", err.text);
    cr_expect_eq(found->match, expected, "%s: %s", at_match_name(found->match), found->why);
    at_found_close(found);
}

/* NULL: of all. */
static size_t shipped_rows(const char *op, const char *device, const char *type_key)
{
    size_t rows = 0;
    for (size_t i = 0; i < atx_shipped_group_count; i++)
        if (strcmp(atx_shipped_groups[i].op, op) == 0 &&
            (!device || strcmp(atx_shipped_groups[i].device, device) == 0) &&
            (!type_key || strcmp(atx_shipped_groups[i].type_key, type_key) == 0))
            rows += atx_shipped_groups[i].count;
    return rows;
}

Test(first_answer, to_open_a_tuner_reads_no_operation_and_no_template)
{
    cr_expect_eq(work.ops, 0);
    cr_expect_eq(work.templates, 0);
    cr_expect_eq(work.hashed_bytes, 0);
    cr_expect_eq(work.rows, 0);
}

Test(first_answer, that_is_exact_reads_one_operation_one_template_and_rows_of_its_device_and_type)
{
    ask(AT_MATCH_EXACT, 4096, 4096);
    cr_expect_eq(work.ops, 1, "%zu operations", work.ops);
    cr_expect_eq(work.templates, 1, "%zu templates", work.templates);
    cr_expect_eq(work.read, 0, "%zu templates read as text", work.read);
    cr_expect_eq(work.rows, shipped_rows("transpose", DEVICE, "b4"), "%zu rows", work.rows);
    cr_expect_lt(work.rows, shipped_rows("transpose", NULL, "b4"), "others ship, of another device");
    cr_expect_lt(work.rows, shipped_rows("transpose", DEVICE, NULL), "others ship, of another type");
    cr_expect_eq(work.statements, 0, "no database is opened");
}

/* Those of templates are made when the program is built. */
Test(first_answer, hashes_what_the_operation_says_and_no_template)
{
    ask(AT_MATCH_EXACT, 4096, 4096);
    cr_expect_lt(work.hashed_bytes, 64 << 10, "%zu bytes", work.hashed_bytes);
}

Test(first_answer, that_a_model_gives_reads_no_template_and_no_row_of_others)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    ask(AT_MATCH_PREDICTED, 3000, 5000);
    const struct work first = work;
    cr_expect_eq(first.ops, 1, "%zu operations", first.ops);
    cr_expect_eq(first.rows, shipped_rows("transpose", DEVICE, "b4"), "%zu rows", first.rows);
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    int most = atx_catalog_template_count(catalog, atx_catalog_find_op(catalog, "transpose"));
    cr_expect_leq(first.templates, (size_t)most, "%zu templates", first.templates);
    cr_expect_eq(first.read, 0, "%zu templates read as text", first.read);
    atx_catalog_close(catalog);
}

/* Checked one after the other, with all lets before any requirement, its candidates take 12,900 evaluations;
 * the templates declare 450 expressions, the operation 10. */
Test(first_answer, that_a_model_gives_compiles_no_template_and_evaluates_little)
{
    ask(AT_MATCH_PREDICTED, 3000, 5000);
    cr_expect_leq(work.compiled, 20, "%zu expressions", work.compiled);
    cr_expect_lt(work.evaluated, 9500, "%zu evaluations", work.evaluated);
}

/* A page costs a microsecond when it is first touched. Most of this is room for candidates that few problems
 * have; the structures of a template, copied, are 16 KB. */
Test(first_answer, that_a_model_gives_copies_neither_trees_nor_texts)
{
    ask(AT_MATCH_PREDICTED, 3000, 5000);
    cr_expect_lt(work.allocated, 3 << 20, "%zu bytes", work.allocated);
    ask(AT_MATCH_PREDICTED, 5000, 1234);
    work.allocated = 0;
    ask(AT_MATCH_PREDICTED, 5001, 1234);
    cr_expect_lt(work.allocated, 64 << 10, "%zu bytes for another one", work.allocated);
}

Test(first_answer, takes_of_the_model_that_ships_what_it_knows_of_the_operation_and_device)
{
    at_error err = { 0 };
    atx_catalog *catalog = NULL;
    atx_model *all = NULL, *one = NULL;
    atx_training_samples training_samples;
    cr_assert_eq(atx_catalog_open(&catalog, NULL, &err), AT_OK, "%s", err.text);
    const atx_op *op = atx_catalog_find_op(catalog, "transpose");
    cr_assert_eq(atx_model_shipped(&all, NULL, NULL, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_model_shipped(&one, op, &(atx_gpu_model){ .name = DEVICE }, &err), AT_OK, "%s",
                 err.text);
    cr_assert(atx_model_of_op(&training_samples, one, 0));
    cr_expect_str_eq(training_samples.op, "transpose");
    cr_expect_str_eq(training_samples.device, DEVICE);
    cr_expect(!atx_model_of_op(&training_samples, one, 1) && atx_model_of_op(&training_samples, all, 1),
              "it knows others, too");
    atx_model_close(one);
    cr_assert_eq(atx_model_shipped(&one, op, &(atx_gpu_model){ .name = "of another kind" }, &err), AT_OK,
                 "%s", err.text);
    cr_expect(atx_model_of_op(&training_samples, one, 0), "another device's, where it knows none such");
    atx_model_close(all);
    atx_model_close(one);
    atx_catalog_close(catalog);
}

/* What is trusted there is proven here. */
Test(first_answer, the_model_that_ships_is_sound)
{
    at_error err = { 0 };
    atx_model *model = NULL;
    cr_assert_eq(atx_model_unpack(&model, atx_shipped_model, atx_shipped_model_bytes, &err), AT_OK, "%s",
                 err.text);
    atx_model_close(model);
}

Test(first_answer, once_given_is_given_again_without_reading)
{
    ask(AT_MATCH_EXACT, 4096, 4096);
    ask(AT_MATCH_PREDICTED, 3000, 5000);
    work = (struct work){ 0 };
    ask(AT_MATCH_EXACT, 4096, 4096);
    ask(AT_MATCH_PREDICTED, 3000, 5000);
    cr_expect_eq(work.ops + work.templates + work.hashed_bytes + work.rows + work.statements, 0);
}

/* The rows that are packed at build time, and the database that they are made of. */
static bool compare(void *context, atx_answer *answer)
{
    atx_shipped_row *rows = context;
    const atx_answer *packed = NULL;
    for (size_t i = 0; rows[i].answer.op; i++)
        if (strcmp(rows[i].answer.op, answer->op) == 0 && strcmp(rows[i].answer.shape, answer->shape) == 0 &&
            strcmp(rows[i].answer.type_key, answer->type_key) == 0 &&
            strcmp(rows[i].answer.fingerprint.device, answer->fingerprint.device) == 0)
            packed = &rows[i].answer;
    cr_assert_not_null(packed, "%s %s", answer->op, answer->shape);
    atx_str a = { 0 }, b = { 0 };
    const atx_columns *const ALL[] = { &atx_winner_columns, &atx_fingerprint_columns, &atx_answer_columns };
    const void *const LEFT[] = { &packed->winner, &packed->fingerprint, packed };
    const void *const RIGHT[] = { &answer->winner, &answer->fingerprint, answer };
    for (int i = 0; i < 3; i++) {
        atx_columns_pack(&a, ALL[i], LEFT[i]);
        atx_columns_pack(&b, ALL[i], RIGHT[i]);
    }
    cr_expect(a.len == b.len && memcmp(a.data, b.data, a.len) == 0, "%s %s", answer->op, answer->shape);
    atx_str_clear(&a);
    atx_str_clear(&b);
    return true;
}

Test(first_answer, packed_rows_are_those_of_the_database)
{
    at_error err = { 0 };
    atx_store *store = NULL;
    size_t count = 0;
    for (size_t i = 0; i < atx_shipped_group_count; i++)
        count += atx_shipped_groups[i].count;
    atx_shipped_row *rows = calloc(count + 1, sizeof *rows);
    cr_assert_not_null(rows);
    for (size_t i = 0; i < count; i++)
        atx_shipped_read(&rows[i], (uint32_t)i);
    cr_assert_eq(atx_store_open_shipped(&store, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_store_each_best(store, compare, rows, &err), AT_OK, "%s", err.text);
    atx_store_close(store);
    free(rows);
}
