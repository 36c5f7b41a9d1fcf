/*
 * ahead.c - directives are read up to the first line of code. Macros before an #include may be meant for it,
 * so only those pass that no header asks for: of CUDA's it is known how such macros begin, of the user's
 * which names they use at all.
 */
#include "compile/ahead.h"

#include "lang/render_pragmas.h"
#include "source/headers.h"
#include "source/lex.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX         "autotune-ahead-"
#define WORTH_BYTES    ((size_t)512 << 10)   /* of the user's headers: below that nothing is gained */
#define BYTES_A_WORKER ((double)(512 << 20)) /* its file has 180 MB for CUB: twice as much and more */

/* The state of the text so far. */
typedef struct reading {
    const atx_headers *headers;
    const char *note; /* of the user's headers (source/headers.h); NULL: none of them */
    bool own;         /* behind the head: the files of the template  */
    bool defined;     /* there was a macro that these may ask for    */
    bool worth;       /* there was something large                   */
    int depth;        /* of #ifndef ... #endif                       */
} reading;

static bool begins(const char *at, const char *const *words)
{
    for (; *words; words++)
        if (strncmp(at, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* Are these the letters that a header's own macros begin with? */
static bool may_be_asked_for(const char *name)
{
    static const char *const WORDS[] = { "_",   "CUB",  "THRUST", "CCCL", "LIBCUDACXX", "CUDA", "NV",
                                         "CG_", "COOP", "NDEBUG", "STD",  "assert",     NULL };
    return begins(name, WORDS);
}

static bool is_large(const char *name)
{
    static const char *const WORDS[] = { "cub/", "thrust/", "cuda/", "cooperative_groups", NULL };
    return begins(name, WORDS);
}

/* Does the note name it? */
static bool is_noted(const reading *r, const char *name, size_t len)
{
    size_t n;
    const char *at = r->note ? atx_headers_name(&n, r->note) : NULL;
    while (at && !(n == len + 2 && memcmp(at + 1, name, len) == 0))
        at = atx_headers_name(&n, at + n);
    return at != NULL;
}

static bool read_include(atx_str *out, reading *r, const char *text, const atx_token *t)
{
    if (t->kind != ATX_TOKEN_TEXT || t->raw || t->spliced || t->end - t->begin < 3 || r->depth)
        return false;
    const char *name = text + t->begin + 1;
    const size_t len = t->end - t->begin - 2;
    const bool quoted = name[-1] == '"', noted = is_noted(r, name, len), large = !noted && is_large(name);
    if (noted ? r->defined : quoted)
        return false;
    r->worth = r->worth || (r->own && large);
    if (r->own && (noted || large)) {
        atx_str_add(out, "#include <");
        atx_str_add_bytes(out, name, len);
        atx_str_add(out, ">\n");
    }
    return true;
}

static bool read_define(reading *r, const char *name, size_t len)
{
    const bool ours = strncmp(name, "AUTOTUNE_", 9) == 0;
    r->defined = r->defined || (!ours && atx_headers_may_use(r->headers, name, len));
    return !may_be_asked_for(name);
}

/* false: the rest may not be looked at. */
static bool read_directive(atx_str *out, reading *r, const char *rendered, const atx_token *directive)
{
    atx_lexer inner = atx_lexer_inside(rendered, directive);
    atx_token word = { 0 }, what = { 0 };
    if (atx_lexer_next(&word, &inner))
        atx_lexer_next(&what, &inner);
    const bool begins = atx_token_is(inner.text, &word, "ifndef"),
               ends = atx_token_is(inner.text, &word, "endif"),
               line = atx_token_is(inner.text, &word, "line");
    if (atx_token_is(inner.text, &word, "include"))
        return read_include(out, r, inner.text, &what);
    if (atx_token_is(inner.text, &word, "define"))
        return read_define(r, inner.text + what.begin, what.end - what.begin);
    r->own = r->own || line;
    r->depth += begins - ends;
    return r->depth >= 0 &&
           (line || begins || ends ||
            (atx_token_is(inner.text, &word, "pragma") && atx_token_is(inner.text, &what, "once")));
}

void atx_ahead_lines(atx_str *out, const char *rendered, const atx_headers *headers, size_t noted_bytes)
{
    ATX_LOCAL(atx_pragmas) pragmas = { 0 };
    ATX_LOCAL(atx_str) lines = { 0 };
    atx_lexer lexer = { .text = rendered,
                        .len = strlen(rendered),
                        .options = { .lines = true, .active = true, .defined = "AUTOTUNE_RENDERED" } };
    bool goes_on = atx_pragmas_read(&pragmas, rendered, NULL) == AT_OK;
    reading r = { .headers = headers, .note = pragmas.headers, .worth = noted_bytes >= WORTH_BYTES };
    for (atx_token t; goes_on && atx_lexer_next(&t, &lexer);)
        if (t.kind == ATX_TOKEN_DIRECTIVE)
            goes_on = read_directive(&lines, &r, rendered, &t);
        else
            goes_on = !r.own;            /* the head's constants; then the first line of code */
    bool asked_for = !goes_on && !r.own; /* a macro of the head is for a header */
    if (!asked_for && r.worth && !lines.failed)
        atx_str_add_bytes(out, atx_str_text(&lines), lines.len);
}

bool atx_ahead_wanted(const char *rendered)
{
    ATX_LOCAL(atx_pragmas) pragmas = { 0 };
    ATX_LOCAL(atx_str) lines = { 0 };
    bool noted = atx_pragmas_read(&pragmas, rendered, NULL) == AT_OK && pragmas.headers;
    if (!noted)
        atx_ahead_lines(&lines, rendered, NULL, 0);
    return noted || lines.len;
}

/* ---- folders ---- */

static void remove_level(const char *folder, int depth)
{
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        ATX_LOCAL(atx_str) path = { 0 };
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        atx_str_addf(&path, "%s/%s", folder, entry->d_name);
        if (!path.failed && unlink(path.data) != 0 && depth > 0)
            remove_level(path.data, depth - 1);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

static const char *parent_folder(void)
{
    const char *given = getenv("TMPDIR");
    return given && *given ? given : "/tmp";
}

/* The descriptor of a folder of this user's that no other process holds; -1: one does, or it is none. */
static int lock_folder(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* A lock ends with the process that held it, however that ended. */
static void remove_abandoned(void)
{
    DIR *dir = opendir(parent_folder());
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        ATX_LOCAL(atx_str) path = { 0 };
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        atx_str_addf(&path, "%s/%s", parent_folder(), entry->d_name);
        int lock = path.failed ? -1 : lock_folder(path.data);
        if (lock >= 0) {
            remove_level(path.data, 1);
            close(lock);
        }
    }
    if (dir)
        closedir(dir);
}

void atx_ahead_open(atx_ahead *out, int workers)
{
    struct statvfs disk;
    *out = (atx_ahead){ .lock = -1 };
    remove_abandoned();
    atx_str_addf(&out->path, "%s/" PREFIX "XXXXXX", parent_folder());
    if (out->path.failed || !mkdtemp(out->path.data)) {
        atx_str_clear(&out->path);
        return;
    }
    out->lock = lock_folder(out->path.data);
    double room = statvfs(out->path.data, &disk) == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : 0;
    if (out->lock < 0 || room < BYTES_A_WORKER * workers)
        atx_ahead_close(out);
}

void atx_ahead_close(atx_ahead *ahead)
{
    if (ahead->path.len) {
        remove_level(ahead->path.data, 1);
        if (ahead->lock >= 0)
            close(ahead->lock);
    }
    atx_str_clear(&ahead->path);
}

void atx_ahead_own_make(atx_str *out, const char *folder, long process)
{
    atx_str_addf(out, "%s/%ld", folder, process);
    if (out->failed || mkdir(out->data, 0700) != 0)
        atx_str_clear(out);
}

void atx_ahead_own_remove(const atx_ahead *ahead, long process)
{
    ATX_LOCAL(atx_str) own = { 0 };
    if (!ahead->path.len || process <= 0)
        return;
    atx_str_addf(&own, "%s/%ld", ahead->path.data, process);
    if (!own.failed)
        remove_level(own.data, 0);
}
