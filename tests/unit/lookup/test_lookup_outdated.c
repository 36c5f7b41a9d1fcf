/* test_lookup_outdated.c - which of an out-of-date winner and what is near answers, as whoever asks wishes.
 */
#include "lookup_support.h"

#include "declare/declare.h"

/* A winner of 4096x4096 whose template was another one, with its text in the store or without. */
static void put_outdated(bool with_text)
{
    at_error err = { 0 };
    atx_str text = { 0 };
    atx_template *before = NULL;
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    const atx_template *now = atx_catalog_find_template(w.catalog, op, "tile_rows");
    atx_str_addf(&text, "%s\n__device__ int of_another_day;\n", now->text.source);
    cr_assert_eq(atx_template_read(&before, op, atx_str_text(&text), text.len, now->text.file, &err), AT_OK,
                 "%s", err.text);
    cr_assert_str_neq(before->text.hash, now->text.hash);
    if (with_text)
        cr_assert_eq(atx_store_put_source(w.store, before->text.hash, now->text.file, atx_str_text(&text),
                                          text.len, &err),
                     AT_OK, "%s", err.text);
    put_row(w.store,
            (row){ "4096x4096", "tile_rows", TILE_ROWS, "NVIDIA H200", before->text.hash, 0, false });
    atx_template_close(before);
    atx_str_clear(&text);
}

static atx_found ask_with(bool exact, atx_outdated_use use)
{
    at_error err = { 0 };
    if (!w.lookup)
        cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_restrict(w.lookup, exact, use);
    return ask(4096, 4096, "NVIDIA H200");
}

TestSuite(lookup_outdated, .init = begin, .fini = end);

Test(lookup_outdated, what_is_near_goes_before_the_row_and_behind_the_text_that_was_measured)
{
    put_outdated(true);
    put("4096x4100", "naive", NAIVE, "NVIDIA H200");
    cr_expect_eq(ask_with(false, ATX_OUTDATED_NEVER).match, ATX_MATCH_NEAR);
    cr_expect_eq(ask_with(false, ATX_OUTDATED_LAST).match, ATX_MATCH_NEAR);
    atx_found f = ask_with(false, ATX_OUTDATED_FIRST);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_expect(f.outdated && f.own && strstr(f.t->text.source, "of_another_day"), "%s", f.outdated);
    cr_expect_eq(f.geometry.grid[0], 16384, "its launch is computed, not believed");
}

Test(lookup_outdated, where_nothing_is_near_the_row_answers_without_a_template)
{
    put_outdated(false);
    cr_expect_eq(ask_with(false, ATX_OUTDATED_NEVER).match, ATX_MATCH_NONE);
    atx_found f = ask_with(false, ATX_OUTDATED_LAST);
    cr_assert_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_expect(f.outdated && !f.t && f.geometry.grid[0] == 7, "as stored");
    f = ask_with(false, ATX_OUTDATED_FIRST);
    cr_expect(f.match == ATX_MATCH_NONE && f.refused && strstr(f.why, "is another one now"), "%s", f.why);
}

Test(lookup_outdated, exact_takes_no_near_one)
{
    put("4096x4100", "naive", NAIVE, "NVIDIA H200");
    cr_expect_eq(ask_with(true, ATX_OUTDATED_LAST).match, ATX_MATCH_NONE);
    cr_expect_eq(ask_with(false, ATX_OUTDATED_LAST).match, ATX_MATCH_NEAR, "nor is that remembered");
    put_outdated(false);
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    atx_found f = ask_with(true, ATX_OUTDATED_LAST);
    cr_expect(f.match == ATX_MATCH_EXACT && f.outdated, "%s", f.why);
}

Test(lookup_outdated, a_winner_that_is_excluded_is_not_exported_again)
{
    at_error err = { 0 };
    atx_problem p;
    atx_exclusions *x = atx_exclusions_open();
    put_outdated(true);
    atx_found f = ask_with(false, ATX_OUTDATED_FIRST);
    const at_error why = { .status = AT_ERR_INPUT, .text = "does not compile" };
    cr_assert_eq(atx_problem_init(&p, f.t->op, ATX_F32, (int64_t[]){ 4096, 4096 }, 2, &err), AT_OK);
    cr_assert_eq(atx_exclude(x, &p, 90, f.t, &f.config, &why, &err), AT_OK);
    atx_lookup_exclude(w.lookup, x);
    cr_expect_eq(ask_with(false, ATX_OUTDATED_FIRST).match, ATX_MATCH_NONE);
    atx_lookup_exclude(w.lookup, NULL);
    atx_exclusions_close(x);
}
