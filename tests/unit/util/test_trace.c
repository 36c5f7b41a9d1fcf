/* test_trace.c - the file that shows where the time went. */
#include "util/trace.h"
#include "util/clock.h"
#include "util/str.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(trace);

static atx_str contents(const char *path)
{
    atx_str text = { 0 };
    cr_assert_eq(atx_str_read_file(&text, path, 1 << 20, NULL), AT_OK);
    return text;
}

Test(trace, spans_and_counts_are_chrome_events)
{
    char path[64];
    atx_trace *trace = NULL;
    at_error err = { 0 };
    close(mkstemp(TEMPORARY(path, "trace")));
    double now = atx_now_s();
    cr_assert_eq(atx_trace_open(&trace, path, &err), AT_OK, "%s", err.text);
    atx_trace_span(trace, (atx_trace_row){ ATX_TRACK_DEVICE, 0, 0 }, "tile \"A\"", "timed", now, now + 0.25);
    atx_trace_span(trace, (atx_trace_row){ ATX_TRACK_COMPILER, 1, 3 }, "tile", "", now, now + 0.5);
    atx_trace_count(trace, 0, "ready", 7);
    cr_assert_eq(atx_trace_close(trace, &err), AT_OK, "%s", err.text);
    atx_str text = contents(path);
    cr_assert_eq(text.data[0], '[');
    cr_assert_str_eq(text.data + text.len - 4, "}\n]\n", "%s", text.data);
    cr_assert(!strstr(text.data, "{}"), "an event without a time and a phase");
    cr_assert(strstr(text.data,
                     "\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"autotune, device 1\"}}"));
    cr_assert(strstr(text.data, "\"ph\":\"X\",\"name\":\"tile \\\"A\\\"\",\"pid\":0,\"tid\":0"), "%s",
              text.data);
    cr_assert(strstr(text.data, "\"dur\":250000.0,\"args\":{\"detail\":\"timed\"}"));
    cr_assert(strstr(text.data, "\"pid\":1,\"tid\":5,\"args\":{\"name\":\"compiler 3\"}"));
    cr_assert(strstr(text.data, "\"ph\":\"C\",\"name\":\"ready\",\"pid\":0"));
    cr_assert(strstr(text.data, "\"args\":{\"value\":7}"));
    atx_str_clear(&text);
    unlink(path);
}

/* Who kills a run still has a picture: the file ends behind an event. */
Test(trace, a_trace_that_was_never_closed_ends_with_a_whole_event)
{
    char path[64];
    atx_trace *trace = NULL;
    at_error err = { 0 };
    close(mkstemp(TEMPORARY(path, "trace")));
    double now = atx_now_s();
    cr_assert_eq(atx_trace_open(&trace, path, &err), AT_OK, "%s", err.text);
    for (int i = 0; i < 3000; i++) {
        atx_trace_span(trace, (atx_trace_row){ ATX_TRACK_DEVICE, 0, 0 }, "tile", "TILE=32 BLOCK_ROWS=8", now,
                       now + i);
        if (i % 100)
            continue;
        atx_str text = contents(path);
        cr_assert(text.len == 0 || text.data[text.len - 1] == '}' || text.len == 1, "%s",
                  text.data + (text.len > 80 ? text.len - 80 : 0));
        atx_str_clear(&text);
    }
    atx_str text = contents(path);
    cr_assert_gt(text.len, 100000, "much of it is there already");
    atx_str_clear(&text);
    cr_assert_eq(atx_trace_close(trace, &err), AT_OK, "%s", err.text);
    unlink(path);
}

Test(trace, no_trace_costs_nothing_and_is_allowed)
{
    atx_trace_span(NULL, (atx_trace_row){ ATX_TRACK_STORE, 0, 0 }, "x", "", 0, 1);
    atx_trace_count(NULL, 0, "x", 1);
    cr_assert_eq(atx_trace_close(NULL, NULL), AT_OK);
}

Test(trace, says_what_it_cannot_write)
{
    atx_trace *trace = NULL;
    at_error err = { 0 };
    cr_assert_eq(atx_trace_open(&trace, "/no/such/folder/t.json", &err), AT_ERR_SYSTEM);
    cr_assert_str_eq(err.text, "/no/such/folder/t.json: No such file or directory");
    cr_assert_eq(atx_trace_open(&trace, "/dev/full", &err), AT_OK);
    atx_trace_span(trace, (atx_trace_row){ ATX_TRACK_STORE, 0, 0 }, "x", "", 0, 1);
    cr_assert_eq(atx_trace_close(trace, &err), AT_ERR_SYSTEM);
    cr_assert_str_eq(err.text, "the trace is not complete: No space left on device");
}
