/*
 * test_lookup_index.c - winners in memory: which shapes are known, which of two goes first, which of those
 * that ship the user's own hide, and what is forgotten when the file is a newer one. 4096x4096 of four bytes
 * is among those that ship, tuned on an NVIDIA H200 and an NVIDIA H100.
 */
#include "db/store_internal.h"
#include "lookup/lookup_internal.h"
#include "lookup_support.h"

#define SHAPE "4096x4096"
#define H200  "NVIDIA H200"

static void begin_with_them(void)
{
    unsetenv("AUTOTUNE_NO_SHIPPED");
    setenv("AUTOTUNE_NO_MODEL", "1", 1);
    begin();
}

TestSuite(lookup_index, .init = begin_with_them, .fini = end);

static void open_lookup(bool with_shipped)
{
    at_error err = { 0 };
    cr_assert_eq(atx_lookup_open(&w.lookup, w.store, w.catalog, &err), AT_OK, "%s", err.text);
    if (with_shipped)
        atx_lookup_add_shipped(w.lookup);
}

static void add_own(void)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_own_add(w.lookup, op, "b4", &err), AT_OK, "%s", err.text);
}

static void add_shipped(void)
{
    at_error err = { 0 };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    cr_assert_eq(atx_shipped_add(w.lookup, op, "b4", H200, true, &err), AT_OK, "%s", err.text);
    cr_assert_eq(atx_shipped_add(w.lookup, op, "b4", H200, false, &err), AT_OK, "%s", err.text);
}

/* Reads both in either order. */
static void read_both(bool shipped_first)
{
    atx_lookup_close(w.lookup);
    w.lookup = NULL;
    open_lookup(true);
    atx_index_clear(&w.lookup->index); /* the first few of its own are there already */
    cr_assert_eq(atx_index_link(&w.lookup->index, 0, NULL), AT_OK);
    if (shipped_first)
        add_shipped();
    add_own();
    add_shipped();
}

/* ---- shapes ---- */

Test(lookup_index, a_shape_is_known_as_a_whole_or_not_at_all)
{
    static const struct {
        const char *shape;
        bool known;
        int64_t dims[7]; /* batch, rows, cols, both pitches, both alignments */
    } SHAPES[] = {
        { "30x40", true, { 1, 30, 40, 40, 30, 256, 256 } },
        { "8x30x40", true, { 8, 30, 40, 40, 30, 256, 256 } },
        { "30x40/48x32", true, { 1, 30, 40, 48, 32, 256, 256 } },
        { "30x40@4", true, { 1, 30, 40, 40, 30, 4, 4 } },
        { "30x40/48x32@16x4", true, { 1, 30, 40, 48, 32, 16, 4 } },
        { "", false, { 0 } },
        { "40", false, { 0 } }, /* a batch alone may be left out */
        { "x40", false, { 0 } },
        { "30x", false, { 0 } },
        { "30x40 ", false, { 0 } },
        { "2x8x30x40", false, { 0 } },
        { "1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x30x40", false, { 0 } },
        { "30x40/48", false, { 0 } },
        { "30x40/48x32x8", false, { 0 } },
        { "30x40@", false, { 0 } },
        { "30x40@4x", false, { 0 } },
        { "30x40@16x4x4", false, { 0 } },
        { "30x40@4/48x32", false, { 0 } },
    };
    const atx_op *op = atx_catalog_find_op(w.catalog, "transpose");
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        int64_t dims[ATX_MAX_SIZES] = { 0 };
        cr_expect_eq(atx_shape_is_known(dims, op, "b4", SHAPES[i].shape), SHAPES[i].known, "%s",
                     SHAPES[i].shape);
        for (int k = 0; k < 7 && SHAPES[i].known; k++)
            cr_expect_eq(dims[k], SHAPES[i].dims[k], "%s: %d", SHAPES[i].shape, k);
    }
}

/* ---- which goes first ---- */

/* Even one that was measured warm. */
Test(lookup_index, own_winner_on_the_device_goes_before_those_that_ship)
{
    put_row(w.store, (row){ SHAPE, "tile_rows", TILE_ROWS, H200, NULL, 90, true });
    for (int first = 0; first < 2; first++) {
        read_both(first);
        atx_found f = ask(4096, 4096, "H200");
        cr_expect_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
        cr_expect_not(f.shipped);
    }
}

/* It was measured elsewhere, at some time. */
Test(lookup_index, a_replayed_winner_answers_who_asks_for_a_replay)
{
    put("100x100", "tile_rows", TILE_ROWS, ATX_REPLAY_NAME "NVIDIA H200");
    cr_expect_eq(ask(100, 100, H200).match, ATX_MATCH_NONE);
    cr_expect_eq(ask(100, 100, ATX_REPLAY_NAME "NVIDIA H200").match, ATX_MATCH_EXACT);
}

/* ---- templates ---- */

Test(lookup_index, a_configuration_that_its_template_does_not_have_is_no_answer)
{
    put("100x100", "tile_rows", "TILE=31 BLOCK_ROWS=8 PAD=1 UNROLL=yes ORDER=out_fast", H200);
    cr_expect_eq(ask(100, 100, H200).match, ATX_MATCH_NONE);
}

Test(lookup_index, a_winner_of_a_template_that_is_gone_is_no_answer)
{
    put("100x100", "tile_rows", TILE_ROWS, H200);
    cr_assert_eq(sqlite3_exec(w.store->db, "UPDATE template SET name = 'gone'", NULL, NULL, NULL), SQLITE_OK);
    cr_expect_eq(ask(100, 100, H200).match, ATX_MATCH_NONE);
}

/* ---- hidden winners ---- */

/* How many of those that ship may answer; of one problem and device. */
static int shown(const char *shape, const char *device)
{
    int count = 0;
    for (size_t i = 0; i < w.lookup->index.count; i++) {
        const atx_entry *e = &w.lookup->index.entries[i];
        count += e->shipped && !e->hidden && (!shape || strcmp(e->answer.shape, shape) == 0) &&
                 strstr(e->answer.fingerprint.device, device);
    }
    return count;
}

Test(lookup_index, own_winner_hides_that_of_its_problem_and_device_in_whatever_order_they_are_read)
{
    read_both(true);
    int all = shown(NULL, H200);
    cr_assert_eq(shown(SHAPE, H200), 1);
    put(SHAPE, "tile_rows", TILE_ROWS, H200);
    for (int first = 0; first < 2; first++) {
        read_both(first);
        cr_expect_eq(shown(SHAPE, H200), 0, "%d", first);
        cr_expect_eq(shown(SHAPE, "NVIDIA H100"), 1, "%d", first);
        cr_expect_eq(shown(NULL, H200), all - 1, "%d", first);
    }
}

Test(lookup_index, own_winner_that_is_out_of_date_hides_nothing)
{
    put_row(w.store, (row){ SHAPE, "tile_rows", TILE_ROWS, H200, "of another day", 0, false });
    for (int first = 0; first < 2; first++) {
        read_both(first);
        cr_expect_eq(shown(SHAPE, H200), 1, "%d", first);
    }
}

/* ---- forgotten with a newer file ---- */

/* Writes by a connection of its own, which the look-up has to notice. */
static void write_elsewhere(const char *sql)
{
    at_error err = { 0 };
    atx_store *writer = NULL;
    cr_assert_eq(atx_store_open(&writer, w.path, ATX_STORE_WRITE, &err), AT_OK, "%s", err.text);
    cr_assert_eq(sqlite3_exec(writer->db, sql, NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(writer->db));
    atx_store_close(writer);
    atx_lookup_look_again(w.lookup);
}

Test(lookup_index, a_newer_file_may_have_another_newest_device)
{
    put("100x100", "tile_rows", TILE_ROWS, "GPU 1");
    put("100x100", "tile_rows", TILE_ROWS, "GPU 2");
    cr_expect_str_eq(ask_on(100, 100, "", 90).answer->fingerprint.device, "GPU 2");
    write_elsewhere("DELETE FROM winner WHERE id = 2");
    atx_found f = ask_on(100, 100, "", 90);
    cr_expect_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_expect_str_eq(f.answer->fingerprint.device, "GPU 1");
    write_elsewhere("DELETE FROM winner");
    cr_expect_eq(ask_on(100, 100, "", 90).match, ATX_MATCH_NONE);
    cr_expect_str_eq(w.lookup->newest, "");
}

Test(lookup_index, a_newer_file_may_have_other_near_answers)
{
    put("256x256", "tile_rows", TILE_ROWS, "GPU 1");
    put("2048x1024", "tile_rows", TILE_ROWS, "GPU 1");
    cr_expect_str_eq(ask(2048, 2048, "GPU 1").answer->shape, "2048x1024");
    write_elsewhere("DELETE FROM winner WHERE id = 2");
    cr_expect_str_eq(ask(2048, 2048, "GPU 1").answer->shape, "256x256");
    cr_expect_eq(ask(2048, 1024, "GPU 1").match, ATX_MATCH_NEAR);
}

Test(lookup_index, what_ships_answers_a_newer_file_too)
{
    open_lookup(true);
    cr_assert(ask(4096, 4096, H200).shipped);
    put("100x100", "tile_rows", TILE_ROWS, "GPU 1");
    write_elsewhere("UPDATE winner SET trials = 2");
    cr_expect(ask(4096, 4096, H200).shipped);
    cr_expect_eq(ask(100, 100, "GPU 1").match, ATX_MATCH_EXACT);
}

Test(lookup_index, of_the_same_file_nothing_is_forgotten)
{
    put("100x100", "tile_rows", TILE_ROWS, "GPU 1");
    ask(120, 120, "GPU 1");
    cr_assert(w.lookup->cached, "a near answer is remembered");
    atx_lookup_look_again(w.lookup);
    ask(100, 100, "GPU 1");
    cr_expect(w.lookup->cached);
    write_elsewhere("UPDATE winner SET trials = 77");
    cr_expect_eq(ask(100, 100, "GPU 1").answer->winner.trials, 77);
    cr_expect_not(w.lookup->cached);
}

Test(lookup_index, without_a_file_there_is_no_newer_one)
{
    at_error err = { 0 };
    cr_assert_eq(atx_lookup_open(&w.lookup, NULL, w.catalog, &err), AT_OK, "%s", err.text);
    atx_lookup_add_shipped(w.lookup);
    cr_assert(ask(4096, 4096, H200).shipped);
    atx_lookup_look_again(w.lookup);
    cr_expect(ask(4096, 4096, H200).shipped);
}

/* The newest few are read at once: this one is not among them. */
Test(lookup_index, of_a_newer_file_a_problem_is_read_that_was_read_of_the_old_one)
{
    put("100x100", "tile_rows", TILE_ROWS, "GPU 1");
    for (int i = 0; i < 60; i++) {
        char shape[32];
        snprintf(shape, sizeof shape, "200x%d", 200 + i);
        put(shape, "tile_rows", TILE_ROWS, "GPU 1");
    }
    cr_expect_eq(ask(100, 100, "GPU 1").match, ATX_MATCH_EXACT);
    write_elsewhere("UPDATE winner SET trials = 77");
    atx_found f = ask(100, 100, "GPU 1");
    cr_expect_eq(f.match, ATX_MATCH_EXACT, "%s", f.why);
    cr_expect_eq(f.answer->winner.trials, 77);
}

/* A microsecond is more than an exact answer takes. */
Test(lookup_index, whether_the_file_is_a_newer_one_is_asked_from_time_to_time)
{
    put("100x100", "tile_rows", TILE_ROWS, "GPU 1");
    open_lookup(false);
    cr_expect_gt(w.lookup->checked_s, 0, "to open it is to ask");
    ask(100, 100, "GPU 1");
    double checked_s = w.lookup->checked_s;
    w.lookup->checked_s += 3600; /* just now */
    put("200x200", "tile_rows", TILE_ROWS, "GPU 1");
    ask(100, 100, "GPU 1");
    cr_expect_eq(w.lookup->checked_s, checked_s + 3600, "it was not asked");
    w.lookup->checked_s = checked_s - 0.11;
    ask(100, 100, "GPU 1");
    cr_expect_geq(w.lookup->checked_s, checked_s, "it was, and will not be again so soon");
}
