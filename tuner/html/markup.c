/* markup.c - the page's frame and style: one file, light and dark by what the reader's system prefers. */
#include "html/markup.h"

#include "util/printable.h"

#include <stdarg.h>
#include <string.h>

/* What stands for a character; NULL: itself. */
static const char *in_its_place(uint32_t character)
{
    switch (character) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\n':
        return NULL;
    default:
        return atx_is_control(character) ? "\xef\xbf\xbd" : NULL;
    }
}

void atx_html_text(atx_str *out, const char *text)
{
    while (*text) {
        uint32_t character = 0; /* of a byte that is none */
        size_t len = atx_utf8_read(&character, text);
        const char *other = in_its_place(character);
        if (other)
            atx_str_add(out, other);
        else
            atx_str_add_bytes(out, text, len);
        text += len ? len : 1;
    }
}

void atx_html_add(atx_str *out, const char *frame, ...)
{
    va_list texts;
    va_start(texts, frame);
    for (size_t len; *frame; frame += len + (frame[len] == '$')) {
        len = strcspn(frame, "$");
        atx_str_add_bytes(out, frame, len);
        if (frame[len])
            atx_html_text(out, va_arg(texts, const char *));
    }
    va_end(texts);
}

static const char STYLE[] =
    ":root{color-scheme:light dark;--back:#fff;--text:#1c1e21;--soft:#667;--line:#d8dbe0;--fill:#eef1f5;"
    "--mark:#2a6fdb;--bad:#c0392b;--light:42%}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#15171a;--text:#e4e6ea;--soft:#99a;--line:#363a40;"
    "--fill:#22252a;--mark:#6ea8fe;--bad:#ff7b6b;--light:62%}}\n"
    "body{background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif;max-width:76rem;"
    "margin:1.5rem auto;padding:0 1rem}\n"
    "h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.2rem;border-bottom:1px solid var(--line)}"
    "h3{font-size:1rem;margin:1.2rem 0 .4rem}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.18rem .6rem;text-align:left;vertical-align:top}"
    "th{font-weight:600;border-bottom:1px solid var(--line);white-space:nowrap}"
    "tr:nth-child(even) "
    "td{background:var(--fill)}td.b{white-space:nowrap}td.n,th.n{text-align:right;white-space:nowrap}\n"
    "code{font:13px/1.4 ui-monospace,monospace;overflow-wrap:anywhere}.soft{color:var(--soft)}"
    ".bad{color:var(--bad)}\n"
    "details{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.3rem .8rem}"
    "summary{cursor:pointer;font-variant-numeric:tabular-nums}\n"
    ".bar{display:inline-block;width:7rem;height:.7rem;background:var(--fill);border:1px solid var(--line);"
    "margin-right:.5rem}.bar i{display:block;height:100%;background:var(--mark)}\n"
    ".wide{overflow-x:auto}figure{margin:.8rem 0;display:inline-block;vertical-align:top}"
    "figcaption{color:var(--soft)}\n"
    "svg{max-width:100%;height:auto}svg text{fill:var(--soft);font:12px system-ui,sans-serif}"
    "svg .axis{stroke:var(--line);fill:none}svg circle{fill:hsl(var(--hue) 65% var(--light));"
    "fill-opacity:.75}svg .best{stroke:var(--text);fill:none;stroke-width:1.3}\n"
    ".key{display:inline-block;width:.7em;height:.7em;border-radius:50%;"
    "background:hsl(var(--hue) 65% var(--light));margin:0 .35em 0 .9em}"
    "td .key{margin-left:0}td.w{min-width:18rem}a{color:var(--mark)}\n";

void atx_html_begin(atx_str *out, const char *title)
{
    atx_str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n");
    atx_html_add(out, "<title>$</title>\n<style>\n", title);
    atx_str_add(out, STYLE);
    atx_html_add(out, "</style>\n</head>\n<body>\n<h1>$</h1>\n", title);
}

void atx_html_end(atx_str *out)
{
    atx_str_add(out, "</body>\n</html>\n");
}

void atx_html_time(atx_str *out, double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } UNITS[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } };
    size_t i = seconds >= 1 ? 0 : seconds >= 1e-3 ? 1 : 2;
    atx_str_addf(out, "%.2f %s", seconds / UNITS[i].unit, UNITS[i].name);
}

void atx_html_bar(atx_str *out, double share, const char *label)
{
    double width = share > 1 ? 1 : share > 0 ? share : 0;
    atx_str_addf(out, "<span class=\"bar\"><i style=\"width:%.1f%%\"></i></span>", 100 * width);
    atx_html_text(out, label);
}
