/* test_html.c - the report: foreign text stays text, figures are those of the store, plots show what is
 * there. */
#include "html/markup.h"
#include "html/plot.h"
#include "html/report.h"
#include "html/trials.h"
#include "store_support.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(html, what_comes_from_a_store_is_never_markup)
{
    atx_str out = { 0 };
    atx_html_text(&out, "<script>alert(\"1\")</script> & \x1b[2J");
    cr_assert_str_eq(atx_str_text(&out),
                     "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; \xef\xbf\xbd[2J");
    atx_str_clear(&out);
    atx_html_text(&out,
                  "\xc2\x9b|\x7f|\xe2\x80\xae|\xff|\xc3\x84"); /* CSI, DEL, right to left, no character */
    cr_assert_str_eq(atx_str_text(&out), "\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd|\xc3\x84");
    atx_str_clear(&out);
}

static size_t occurrences(const char *text, const char *word)
{
    size_t count = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
        count++;
    return count;
}

Test(html, a_plot_has_each_point_that_its_axes_can_show)
{
    const atx_point points[] = {
        { 1, 10, 0, "k", "a" }, { 2, 0, 0, NULL, NULL }, { 3, NAN, 0, NULL, NULL }, { 4, 1000, 0, NULL, "b<" }
    };
    atx_plot plot = { .caption = "c",
                      .x = { .label = "x" },
                      .y = { .label = "y", .logarithmic = true },
                      .width = 300,
                      .height = 200,
                      .points = points,
                      .count = 4,
                      .running_best = true };
    atx_str out = { 0 };
    atx_plot_add(&out, &plot);
    cr_assert_eq(occurrences(atx_str_text(&out), "<circle"), 2);
    cr_assert_not_null(strstr(atx_str_text(&out), "<title>k a</title>"));
    cr_assert_not_null(strstr(atx_str_text(&out), "<title>b&lt;</title>"));
    cr_assert_null(strstr(atx_str_text(&out), "nan"));
    cr_assert_null(strstr(atx_str_text(&out), "inf"));
    atx_str_reset(&out);
    plot.count = 0;
    atx_plot_add(&out, &plot);
    cr_assert_eq(out.len, 0, "a plot without points is not drawn");
    atx_str_clear(&out);
}

Test(html, one_point_alone_is_drawn_within_the_plot)
{
    const atx_point point = { 5, 7, 0, NULL, NULL };
    atx_plot plot = { .caption = "c",
                      .x = { .label = "x" },
                      .y = { .label = "y" },
                      .width = 300,
                      .height = 200,
                      .points = &point,
                      .count = 1 };
    atx_str out = { 0 };
    atx_plot_add(&out, &plot);
    double x = 0, y = 0;
    cr_assert_eq(sscanf(strstr(atx_str_text(&out), "<circle"), "<circle cx=\"%lf\" cy=\"%lf\"", &x, &y), 2);
    cr_assert(x > 0 && x < 300 && y > 0 && y < 200, "%g %g", x, y);
    atx_str_clear(&out);
}

static atx_trial_row timed(const char *config, double median_s)
{
    return (atx_trial_row){
        .template_name = "t", .config = config, .log = "", .outcome = ATX_TIMED, .timing.median_s = median_s
    };
}

Test(html, an_effect_is_the_best_and_the_median_of_what_had_the_value)
{
    atx_trial_row items[] = { timed("A=16 B=x", 4), timed("A=8 B=x", 1), timed("A=16 B=y", 2),
                              timed("A=16 B=y", 3), timed("A=9 B=y", 5) };
    items[4].outcome = ATX_WRONG_RESULT; /* does not count, however fast */
    const atx_html_trials trials = { .items = items, .count = 5 };
    size_t count = 0;
    atx_effect *e = NULL;
    cr_assert(atx_html_effects(&e, &count, &trials, "t"));
    cr_assert_eq(count, 4);
    cr_assert(!strcmp(e[0].param, "A") && !strcmp(e[0].value, "8") && !strcmp(e[1].value, "16"),
              "numbers by their size");
    cr_assert_eq(e[1].count, 3);
    cr_assert_float_eq(e[1].best_s, 2, 0);
    cr_assert_float_eq(e[1].median_s, 3, 0);
    cr_assert(!strcmp(e[3].param, "B") && !strcmp(e[3].value, "y") && e[3].count == 2);
    free(e);
    cr_assert(atx_html_effects(&e, &count, &trials, "other"));
    cr_assert_null(e);
    cr_assert_eq(count, 0);
}

/* A page that has all of a large database would take a browser's memory and minutes. */
Test(html, of_very_many_problems_those_with_most_to_gain_have_a_section)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    at_error err = { 0 };
    atx_str page = { 0 };
    const int count = 310;
    int sections = 0;
    for (int i = 0; i < count; i++) {
        char shape[32];
        snprintf(shape, sizeof shape, "%dx64", i + 1);
        atx_problem_key key = KEY;
        key.shape = shape;
        const atx_trial_row row = trial_of("A=1", 1e-5);
        atx_winner winner = winner_of("A=1", 1e-5);
        winner.ceiling_s = i < 4 ? 0 : 1e-5 * (i + 1) / count; /* unknown; the last ones are the best */
        put_ok(store, &key, &H200, &row, 1);
        cr_assert_eq(atx_store_put_winner(store, 0, &key, &H200, &winner, &err), AT_OK, "%s", err.text);
    }
    atx_html_options options = { .source = "here.db" };
    cr_assert_eq(atx_html_report(&page, store, &options, &err), AT_OK, "%s", err.text);
    for (const char *p = atx_str_text(&page); (p = strstr(p, "<details")); p++)
        sections++;
    cr_assert_eq(sections, 300);
    cr_assert_not_null(strstr(atx_str_text(&page), "<td class=\"b\">4x64</td>"));
    cr_assert_not_null(strstr(atx_str_text(&page), ">304x64</a>"));
    cr_assert_not_null(strstr(atx_str_text(&page), "<td class=\"b\">305x64</td>"));
    atx_str_clear(&page);
    atx_store_close(store);
    folder_remove(&f);
}

Test(html, the_page_names_winner_share_trials_and_failures)
{
    folder f = folder_make();
    atx_store *store = open_ok(f.db, ATX_STORE_WRITE);
    atx_trial_row rows[3] = { trial_of("A=1", 2e-5), trial_of("A=2", 1e-5), trial_of("A=3", 0) };
    rows[2].outcome = ATX_CRASHED;
    rows[2].log = "an <illegal> address\nand more";
    put_ok(store, &KEY, &H200, rows, 3);
    atx_winner winner = winner_of("A=2", 1e-5);
    winner.ceiling_s = 9e-6;
    at_error err = { 0 };
    cr_assert_eq(atx_store_put_winner(store, 0, &KEY, &H200, &winner, &err), AT_OK, "%s", err.text);
    atx_str page = { 0 };
    atx_html_options options = { .source = "here.db" };
    cr_assert_eq(atx_html_report(&page, store, &options, &err), AT_OK, "%s", err.text);
    const char *text = atx_str_text(&page);
    cr_assert_not_null(strstr(text, "10.00 us"));
    cr_assert_not_null(strstr(text, "90.0</td>"), "the share of the ceiling");
    cr_assert_not_null(strstr(text, "3 trials stored"));
    cr_assert_not_null(strstr(text, "crashed"));
    cr_assert_not_null(strstr(text, "an &lt;illegal&gt; address</td>"));
    atx_str_reset(&page);
    options.device = "no such";
    cr_assert_eq(atx_html_report(&page, store, &options, &err), AT_ERR_NOT_FOUND);
    atx_str_clear(&page);
    atx_store_close(store);
    folder_remove(&f);
}
