/* adopt_lines.h - tests of drafts: which lines the draft of a text has. */
#pragma once

#include "exchange/adopt.h"

#include <criterion/criterion.h>
#include <string.h>

static atx_adopted adopt_one(const char *text, const char *kernel)
{
    atx_adopted out;
    at_error err = { 0 };
    const atx_adopt_input in = { .text = text, .path = "k.cu", .source = "../k.cu", .kernel = kernel };
    cr_assert_eq(atx_adopt(&out, &in, &err), AT_OK, "%s\n%s", err.text, text);
    return out;
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

/* Lines that the draft of a file has; NULL-ended. */
typedef struct example {
    const char *what, *text, *kernel;
    const char *lines[10];
} example;

static void expect_lines(const example *e)
{
    atx_adopted out = adopt_one(e->text, e->kernel);
    for (int i = 0; e->lines[i]; i++) {
        const bool is_absent = e->lines[i][0] == '!';
        const char *line = e->lines[i] + is_absent;
        const int n = count(atx_str_text(&out.op), line) + count(atx_str_text(&out.t), line);
        cr_expect_eq(n > 0, !is_absent, "%s: %s\n%s%s", e->what, e->lines[i], atx_str_text(&out.op),
                     atx_str_text(&out.t));
    }
    atx_adopted_clear(&out);
}

#define EXPECT_ALL(examples)                                                                                 \
    for (size_t i = 0; i < sizeof(examples) / sizeof *(examples); i++)                                       \
    expect_lines(&(examples)[i])
