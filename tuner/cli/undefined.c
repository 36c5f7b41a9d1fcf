/*
 * undefined.c - the file is compiled with the headers that lie beside it, for the oldest architecture that
 * NVRTC knows of ours; what comes of it does not matter, the log does.
 */
#include "cli/undefined.h"

#include "compile/nvrtc.h"
#include "declare/declare_gather.h"
#include "lang/render_orders.h"
#include "source/paths.h"
#include "source/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does it stand where a number could, wherever it stands? A function has a bracket, a type a name behind it.
 */
static bool is_value(const char *code, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = code; (at = strstr(at, name)) != NULL; at += n) {
        if ((at > code && is_part(at[-1])) || is_part(at[n]))
            continue;
        const char *next = at + n + strspn(at + n, " \t\r\n");
        if (*next == '(' || *next == ':' || *next == '{' || *next == '&' || is_part(*next) || *next == '*')
            return *next == '*' && next[1] == ' '; /* a product */
    }
    return true;
}

static void add_name(at__undefined *out, const char *code, const char *name, size_t len)
{
    char word[64];
    if (len >= sizeof word || out->count == AT__MAX_UNDEFINED || (len == 1 && *name == 'T'))
        return;
    snprintf(word, sizeof word, "%.*s", (int)len, name);
    for (int i = 0; i < out->count; i++)
        if (strcmp(out->names[i], word) == 0)
            return;
    if (!is_value(code, word))
        return;
    memcpy(out->names[out->count], word, sizeof word);
    out->list[out->count] = out->names[out->count];
    out->count++;
}

static void read_log(at__undefined *out, const char *code, const char *log)
{
    static const char BEFORE[] = "identifier \"", BEHIND[] = "\" is undefined";
    for (const char *at = log; (at = strstr(at, BEFORE)) != NULL;) {
        at += sizeof BEFORE - 1;
        size_t len = strcspn(at, "\"\n");
        if (strncmp(at + len, BEHIND, sizeof BEHIND - 1) == 0)
            add_name(out, code, at, len);
    }
}

/* Behind what a rendered text would say of headers in folders of the user's. */
static at_status add_note(at__str *out, const char *text, at__headers *headers, at_error *err)
{
    at__str note = { 0 };
    at_status status = at__headers_note(&note, headers, text, err);
    if (status == AT_OK && note.len) {
        at__render_note(out, note.data);
        at__str_add(out, "//!autotune option -default-device\n");
    }
    at__str_clear(&note);
    at__str_add(out, text);
    return status == AT_OK ? at__str_status(out, err) : status;
}

/* The user named the file. */
static at_status allow_folder_of(at__allowed **out, const char *path, const at__headers *headers,
                                 at_error *err)
{
    at__str folder = { 0 };
    at__join_path(&folder, path, ".");
    at_status status = at__str_status(&folder, err);
    if (status == AT_OK)
        status = at__allowed_open(out, folder.data, getenv(AT__ALLOW_ENV), headers, err);
    at__str_clear(&folder);
    return status;
}

static at_status compile(at__undefined *out, at__nvrtc *nvrtc, const char *path, at_error *err)
{
    static const at__paths NONE = { 0 };
    const char *slash = strrchr(path, '/');
    const at__paths sources = { .items = { (char *)(uintptr_t)(slash ? slash + 1 : path) }, .count = 1 };
    at__gathered all = { 0 };
    at__headers *headers = NULL;
    at__allowed *allowed = NULL;
    at__str plain = { 0 }, noted = { 0 }, code = { 0 }, log = { 0 };
    at__resources ignored;
    bool ok = false;
    at_status status = at__headers_open(&headers, getenv(AT__HEADERS_ENV), err);
    if (status == AT_OK)
        status = allow_folder_of(&allowed, path, headers, err);
    if (status == AT_OK)
        status = at__gather(&all, &(at__gather_request){ path, &sources, &NONE, headers, allowed }, err);
    if (status == AT_OK)
        at__code_strip(&plain, at__str_text(&all.text));
    if (status == AT_OK)
        status = add_note(&noted, at__str_text(&all.text), headers, err);
    if (status == AT_OK)
        status = at__nvrtc_compile(nvrtc, &ok, &code, &log, &ignored, at__str_text(&noted), path,
                                   at__nvrtc_nearest(nvrtc, 90), AT__PTX, err);
    if (status == AT_OK && !ok)
        read_log(out, at__str_text(&plain), at__str_text(&log));
    at__gathered_clear(&all);
    at__allowed_close(allowed);
    at__headers_close(headers);
    at__str_clear(&plain);
    at__str_clear(&noted);
    at__str_clear(&code);
    at__str_clear(&log);
    return status;
}

void at__undefined_find(at__undefined *out, const char *path)
{
    at__nvrtc *nvrtc = NULL;
    at_error ignored;
    *out = (at__undefined){ .count = 0 };
    if (at__nvrtc_open(&nvrtc, &ignored) == AT_OK && compile(out, nvrtc, path, &ignored) != AT_OK)
        *out = (at__undefined){ .count = 0 };
    at__nvrtc_close(nvrtc);
}
