/*
 * undefined.c - the file is compiled with the headers beside it, for the oldest architecture that both NVRTC
 * and we support; the result is dropped and only the log is used.
 */
#include "cli/undefined.h"

#include "compile/nvrtc.h"
#include "declare/declare_gather.h"
#include "lang/render_pragmas.h"
#include "source/paths.h"
#include "source/declarator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does it stand where a number could, wherever it stands? A function has a bracket, a type a name behind it.
 */
static bool is_value(const atx_tokens *code, const char *name)
{
    static const char *const OTHERS[] = { "(", ":", "::", "{", NULL }, *const EITHER[] = { "*", "&", NULL };
    for (size_t i = 0; i + 1 < code->count; i++) {
        const atx_token *next = &code->items[i + 1];
        if (!atx_tokens_is(code, i, name))
            continue;
        if (next->kind == ATX_TOKEN_WORD || atx_token_is_one_of(code->text, next, OTHERS))
            return false;
        if (atx_token_is_one_of(code->text, next, EITHER) && !(i + 2 < code->count && next[1].blank))
            return false; /* T *p; a product has blanks */
    }
    return true;
}

static void add_name(atx_undefined *out, const atx_tokens *code, const char *name, size_t len)
{
    char word[64];
    if (len >= sizeof word || out->count == ATX_MAX_UNDEFINED || (len == 1 && *name == 'T'))
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

static void read_log(atx_undefined *out, const atx_tokens *code, const char *log)
{
    static const char BEFORE[] = "identifier \"", BEHIND[] = "\" is undefined";
    for (const char *at = log; (at = strstr(at, BEFORE)) != NULL;) {
        at += sizeof BEFORE - 1;
        size_t len = strcspn(at, "\"\n");
        if (strncmp(at + len, BEHIND, sizeof BEHIND - 1) == 0)
            add_name(out, code, at, len);
    }
}

/* Behind the lines of a rendered text about headers in folders of the user's. */
static at_status add_note(atx_str *out, const atx_undefined_file *file, const char *text,
                          atx_headers *headers, at_error *err)
{
    ATX_LOCAL(atx_str) note = { 0 };
    at_status status = atx_headers_note(&note, headers, text, err);
    if (status == AT_OK && note.len) {
        atx_render_note(out, note.data);
        atx_str_add(out, "//!autotune option -default-device\n");
    }
    atx_str_add(out, file->defines ? file->defines : "");
    atx_str_add(out, text);
    return status == AT_OK ? atx_str_status(out, err) : status;
}

/* The user named the file. */
static at_status allow_folder_of(atx_allowed **out, const atx_undefined_file *file,
                                 const atx_headers *headers, at_error *err)
{
    ATX_LOCAL(atx_str) folder = { 0 };
    atx_join_path(&folder, file->path, ".");
    ATX_TRY(atx_str_status(&folder, err));
    return atx_allowed_open(out, folder.data, file->allow, headers, err);
}

static at_status gather(atx_gathered *out, const atx_undefined_file *file, const atx_headers *headers,
                        at_error *err)
{
    const char *slash = strrchr(file->path, '/');
    const atx_paths sources = { .items = { (char *)(uintptr_t)(slash ? slash + 1 : file->path) },
                                .device = { file->kernel != NULL },
                                .count = 1 };
    atx_allowed *allowed = NULL;
    at_status status = allow_folder_of(&allowed, file, headers, err);
    ATX_THEN(status, atx_gather(out,
                                &(atx_gather_request){ .file = file->path,
                                                       .sources = &sources,
                                                       .includes = file->includes,
                                                       .headers = headers,
                                                       .allowed = allowed,
                                                       .large = true,
                                                       .reached = file->kernel,
                                                       .replaced = "" },
                                err));
    atx_allowed_close(allowed);
    return status;
}

at_status atx_undefined_gather(atx_gathered *out, const atx_undefined_file *file, at_error *err)
{
    ATX_CLOSED(atx_headers) *headers = NULL;
    *out = (atx_gathered){ 0 };
    ATX_TRY(atx_headers_open(&headers, getenv(ATX_HEADERS_ENV), err));
    return gather(out, file, headers, err);
}

static at_status compile(atx_undefined *out, atx_nvrtc *nvrtc, const atx_undefined_file *file, at_error *err)
{
    ATX_LOCAL(atx_gathered) all = { 0 };
    ATX_CLOSED(atx_headers) *headers = NULL;
    ATX_LOCAL(atx_tokens) plain = { 0 };
    ATX_LOCAL(atx_str) noted = { 0 }, code = { 0 }, log = { 0 };
    atx_resources ignored;
    bool ok = false;
    at_status status = atx_headers_open(&headers, getenv(ATX_HEADERS_ENV), err);
    ATX_THEN(status, gather(&all, file, headers, err));
    if (status == AT_OK && !atx_code_read(&plain, atx_str_text(&all.text)))
        status = atx_no_memory(err);
    ATX_THEN(status, add_note(&noted, file, atx_str_text(&all.text), headers, err));
    ATX_THEN(status, atx_nvrtc_compile(nvrtc, &ok, &code, &log, &ignored,
                                       &(atx_nvrtc_source){ atx_str_text(&noted), file->path,
                                                            atx_nvrtc_nearest(nvrtc, 90), ATX_PTX },
                                       err));
    if (status == AT_OK && !ok)
        read_log(out, &plain, atx_str_text(&log));
    return status;
}

void atx_undefined_find(atx_undefined *out, const atx_undefined_file *file)
{
    ATX_CLOSED(atx_nvrtc) *nvrtc = NULL;
    at_error ignored;
    *out = (atx_undefined){ .count = 0 };
    if (atx_nvrtc_open(&nvrtc, &ignored) == AT_OK && compile(out, nvrtc, file, &ignored) != AT_OK)
        *out = (atx_undefined){ .count = 0 };
}
