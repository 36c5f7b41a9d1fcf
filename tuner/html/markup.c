/* markup.c - the page's frame and style: one file, light and dark by what the reader's system prefers. */
#include "html/markup.h"

#include "util/base64.h"
#include "util/printable.h"
#include "util/sha256.h"

#include <stdarg.h>
#include <stdlib.h>
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
    "--mark:#1f5fc4;--bad:#c0392b;--light:42%}\n"
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
    "svg text{fill:var(--soft);font:12px system-ui,sans-serif}"
    "svg .axis{stroke:var(--line);fill:none}svg circle{fill:hsl(var(--hue) 65% var(--light));"
    "fill-opacity:.75}svg .on{stroke:var(--text);stroke-width:1.5;fill-opacity:1}svg "
    ".best{stroke:var(--text);fill:none;stroke-width:1.3}\n"
    ".key{display:inline-block;width:.7em;height:.7em;border-radius:50%;"
    "background:hsl(var(--hue) 65% var(--light));margin:0 .35em 0 .9em}"
    "td .key{margin-left:0}td.w{min-width:18rem}a{color:var(--mark)}.kind{white-space:nowrap}"
    "figure{max-width:100%}figcaption{max-width:580px}\n"
    "th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--mark)}"
    "th[aria-sort=ascending] button::after{content:' \\25b2'}"
    "th[aria-sort=descending] button::after{content:' \\25bc'}"
    ".filter{display:none}.js .filter{display:block}input{font:inherit}[hidden]{display:none}\n"
    "@media print{.filter,.js .filter{display:none}.wide{overflow:visible}body{max-width:none}"
    "figure,tr,h2,h3{break-inside:avoid}h2,h3{break-after:avoid}"
    "details::details-content{content-visibility:visible;block-size:auto}}\n";

/*
 * What the page cannot do by itself: sort and filter the table of winners, open what a link leads to, and
 * print what is folded. Without it everything can be read.
 */
static const char SCRIPT[] =
    "(function(){\n"
    "document.documentElement.className='js';\n"
    "function all(q,of){return Array.from((of||document).querySelectorAll(q))}\n"
    "function follow(){var e=document.getElementById(location.hash.slice(1)),d=e&&e.closest('details');\n"
    "if(d&&!d.open){d.open=true;e.scrollIntoView()}}\n"
    "function value(row,i){var t=row.cells[i].textContent,n=parseFloat(t);return "
    "isNaN(n)||/[x(]/.test(t)?t:n}\n"
    "function sort(body,th,i){var up=th.getAttribute('aria-sort')!=='ascending';\n"
    "all('th',th.parentNode).forEach(function(o){o.removeAttribute('aria-sort')});\n"
    "th.setAttribute('aria-sort',up?'ascending':'descending');\n"
    "Array.from(body.rows).sort(function(a,b){var x=value(a,i),y=value(b,i);\n"
    "var o=typeof x==='number'&&typeof "
    "y==='number'?x-y:String(x).localeCompare(String(y),'en',{numeric:true});\n"
    "return up?o:-o}).forEach(function(r){body.appendChild(r)})}\n"
    "all('.filter').forEach(function(f){var table=f.nextElementSibling.querySelector('table');\n"
    "var body=table.tBodies[0];\n"
    "f.querySelector('input').addEventListener('input',function(){\n"
    "var words=this.value.toLowerCase().split(/\\s+/);\n"
    "Array.from(body.rows).forEach(function(r){var t=r.textContent.toLowerCase();\n"
    "r.hidden=!words.every(function(w){return t.includes(w)})})});\n"
    "all('th',table).forEach(function(th,i){var b=document.createElement('button');\n"
    "b.textContent=th.textContent;th.textContent='';th.appendChild(b);\n"
    "b.addEventListener('click',function(){sort(body,th,i)})})});\n"
    "addEventListener('hashchange',follow);follow();\n"
    "var opened=[];\n"
    "addEventListener('beforeprint',function(){opened=all('details:not([open])');\n"
    "opened.forEach(function(d){d.open=true})});\n"
    "addEventListener('afterprint',function(){opened.forEach(function(d){d.open=false})});\n"
    "})();";

/* Nothing is loaded from anywhere, and no script runs but this one. */
static void add_policy(atx_str *out)
{
    char text[ATX_HASH_TEXT], pair[3] = "";
    unsigned char digest[(ATX_HASH_TEXT - 1) / 2];
    atx_hash_text(text, SCRIPT, sizeof SCRIPT - 1);
    for (size_t i = 0; i < sizeof digest; i++) {
        memcpy(pair, text + 2 * i, 2);
        digest[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    atx_str_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                     "'unsafe-inline'; script-src 'sha256-");
    atx_base64_add(out, digest, sizeof digest);
    atx_str_add(out, "'\">\n");
}

void atx_html_begin(atx_str *out, const char *title)
{
    atx_str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n");
    add_policy(out);
    atx_html_add(out, "<title>$</title>\n<style>\n", title);
    atx_str_add(out, STYLE);
    atx_html_add(out, "</style>\n</head>\n<body>\n<main>\n<h1>$</h1>\n", title);
}

void atx_html_end(atx_str *out)
{
    atx_str_add(out, "</main>\n<script>");
    atx_str_add(out, SCRIPT);
    atx_str_add(out, "</script>\n</body>\n</html>\n");
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
