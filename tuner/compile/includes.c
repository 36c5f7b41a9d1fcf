/*
 * includes.c - a directive inside a comment, a string or an #if is checked too, since a replacement there
 * changes nothing. Which lines a backslash joins depends on the compiler and its dialect (blanks behind it,
 * trigraphs), and so does which lines are directives: a text is checked both ways.
 */
#include "compile/includes.h"

#include "source/device_view.h"
#include "util/regular.h"
#include "util/str.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_DEPTH = 32,      /* files that include each other */
    MAX_BYTES = 4 << 20, /* of a file                     */
    MAX_SHOWN = 200,     /* bytes of a name in a message  */
    MAX_PATH_LEN = 1 << 12
};

static const char BLANKS[] = " \t\f\v\xef\xbb\xbf"; /* and a byte order mark */

/*
 * ---- directives, also those inside comments, strings or #if ----
 *
 * The one reader of C++ that does not use tokens (source/lex.h). Whether a comment, a string or an #if hides
 * a directive depends on the compiler and its dialect (raw strings, trigraphs, blanks behind a backslash,
 * byte order marks), so a text from outside must not decide it: a directive is found wherever it may be one.
 * This needs only the ways to spell a directive: %: for #, comments between its words, lines that a backslash
 * joins.
 */

/* #include and the like with its file, or a question. */
typedef struct hidden {
    const char *begin, *end;
    const char *name; /* its file; NULL: it is not written out */
    size_t len;
    bool asks;
} hidden;

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* The bytes from a backslash to behind the end of the line that it continues; 0: it continues none. */
static size_t joint(const char *at, bool widely)
{
    size_t mark = *at == '\\' ? 1 : widely && strncmp(at, "?\?/", 3) == 0 ? 3 : 0;
    size_t gap = mark ? mark + strspn(at + mark, widely ? " \t\f\v\r" : "\r") : 0;
    return gap && at[gap] == '\n' ? gap + 1 : 0;
}

/* Joins the lines that a backslash continues; their ends come after the line, so that numbers stay. NVRTC
 * joins none with blanks behind the backslash; `widely`: as a compiler may that does, or takes ??/ for one.
 */
static void join_lines(atx_str *out, const char *text, bool widely)
{
    size_t owed = 0;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, widely ? "\\?\n" : "\\\n");
        atx_str_add_bytes(out, at, len);
        at += len;
        size_t gap = joint(at, widely);
        if (gap) {
            owed++;
            at += gap;
        } else if (*at) {
            bool end = *at == '\n';
            atx_str_add_bytes(out, at++, 1);
            for (; end && owed; owed--)
                atx_str_add(out, "\n");
        }
    }
}

static const char *skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, BLANKS);
        const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
        if (!end)
            return at;
        at = end + 2;
    }
}

/* Is there nothing before it in its line but blanks and the end of a comment? */
static bool begins_line(const char *text, const char *at)
{
    while (at > text && strchr(BLANKS, at[-1]))
        at--;
    return at == text || strchr("\r\n", at[-1]) || (at - text >= 2 && at[-1] == '/' && at[-2] == '*');
}

static bool is_word(const char *at, const char *const *words)
{
    size_t len = strspn(at, LETTERS);
    for (; *words; words++)
        if (strlen(*words) == len && memcmp(*words, at, len) == 0)
            return true;
    return false;
}

/* The text between quotes or angles, on one line. */
static void read_name(hidden *d, const char *at)
{
    size_t len = *at == '"' ? strcspn(at + 1, "\"\r\n") : *at == '<' ? strcspn(at + 1, ">\r\n") : 0;
    bool whole = (*at == '"' || *at == '<') && at[len + 1] == (*at == '"' ? '"' : '>');
    d->name = whole ? at + 1 : NULL;
    d->len = len;
    d->end = whole ? at + len + 2 : at;
}

/* The directives that name a file. */
static bool read_directive(hidden *out, const char *text, const char *at)
{
    static const char *const WORDS[] = { "include", "include_next", "import", "embed", NULL };
    size_t mark = at[0] == '#' ? 1 : strncmp(at, "%:", 2) == 0 ? 2 : strncmp(at, "?\?=", 3) == 0 ? 3 : 0;
    if (!mark || !begins_line(text, at))
        return false;
    const char *word = skip_blanks(at + mark);
    if (!is_word(word, WORDS))
        return false;
    *out = (hidden){ .begin = at };
    read_name(out, skip_blanks(word + strspn(word, LETTERS)));
    return true;
}

/* "defined(__has_include)" and "#ifdef __has_include" name no file. */
static bool is_asked_for(const char *text, const char *at)
{
    static const char *const WORDS[] = { "defined", "ifdef", "ifndef", "elifdef", "elifndef", NULL };
    while (at > text && (at[-1] == '(' || strchr(BLANKS, at[-1])))
        at--;
    while (at > text && at[-1] && strchr(LETTERS, at[-1]))
        at--;
    return is_word(at, WORDS);
}

static bool read_question(hidden *out, const char *text, const char *at)
{
    static const char *const WORDS[] = { "__has_include", "__has_include_next", "__has_embed", NULL };
    bool inside = at > text && strchr(LETTERS, at[-1]);
    if (*at != '_' || inside || !is_word(at, WORDS) || is_asked_for(text, at))
        return false;
    const char *open = skip_blanks(at + strspn(at, LETTERS));
    *out = (hidden){ .begin = at, .end = open, .asks = true };
    if (*open == '(') {
        read_name(out, skip_blanks(open + 1));
        const char *close = out->name ? skip_blanks(out->end) : out->end + strcspn(out->end, ")\r\n");
        out->end = *close == ')' ? close + 1 : close;
    }
    return true;
}

/* The next one of a text whose lines are joined, at `from` or behind. */
static bool next_hidden(hidden *out, const char *text, const char *from)
{
    for (const char *at = from; (at = strpbrk(at, "#%?_")) != NULL; at++)
        if (read_directive(out, text, at) || read_question(out, text, at))
            return true;
    return false;
}

typedef struct scan {
    const atx_include_folders *folders;
    const char *name; /* of the template's file            */
    char **seen;      /* files of its own that were checked */
    size_t seen_count, seen_cap;
    int depth;
    bool bad; /* one of them reaches outside */
    bool no_memory;
} scan;

/* ---- checking files ---- */

static void add_folder_of(atx_str *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    atx_str_add_bytes(out, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    atx_str_add(out, "/");
}

/* `real` has no links in it; the folder may. */
static bool is_in(const char *real, const char *folder)
{
    ATX_FREED char *real_folder = folder[0] ? realpath(folder, NULL) : NULL;
    size_t len = real_folder ? strlen(real_folder) : 0;
    while (len && real_folder[len - 1] == '/')
        len--; /* the root */
    return real_folder && strncmp(real, real_folder, len) == 0 && real[len] == '/';
}

/* CUDA's, or in a folder of the user's. */
static bool is_library(const char *real, const atx_include_folders *folders)
{
    bool in = false;
    for (int i = 0; i < ATX_CUDA_FOLDERS && folders->cuda[i] && !in; i++)
        in = is_in(real, folders->cuda[i]);
    for (int i = 0; i < atx_headers_count(folders->headers) && !in; i++)
        in = is_in(real, atx_headers_folder(folders->headers, i));
    return in;
}

static bool is_own(const char *real, const char *name, const atx_include_folders *folders)
{
    ATX_LOCAL(atx_str) folder = { 0 };
    add_folder_of(&folder, name);
    bool own = is_in(real, atx_str_text(&folder));
    atx_str_add(&folder, "../common");
    own = own || is_in(real, atx_str_text(&folder));
    for (int i = 0; i < folders->own_count && !own; i++)
        own = is_in(real, folders->own[i]);
    own = own && !folder.failed;
    return own;
}

/* true: it was new. */
static bool remember(scan *s, const char *real)
{
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], real) == 0)
            return false;
    char *copy = atx_text_copy(real, strlen(real));
    s->no_memory = s->no_memory || !copy || !atx_grow(&s->seen, &s->seen_cap, s->seen_count, sizeof(char *));
    if (s->no_memory)
        free(copy);
    else
        s->seen[s->seen_count++] = copy;
    return !s->no_memory;
}

static bool is_outside(scan *s, const hidden *d, const char *includer);

static bool has_outside(scan *s, const char *joined, const char *path)
{
    hidden d;
    bool outside = false;
    for (const char *at = joined; !outside && next_hidden(&d, joined, at); at = d.end)
        outside = is_outside(s, &d, path);
    return outside;
}

/* Does a file of the template's own, or one that it includes, reach outside? */
static bool reaches_outside(scan *s, const char *path)
{
    ATX_LOCAL(atx_str) raw = { 0 }, text = { 0 }, wide = { 0 };
    bool outside = s->depth == MAX_DEPTH || atx_regular_read(&raw, path, MAX_BYTES, NULL) != AT_OK ||
                   strlen(atx_str_text(&raw)) != raw.len;
    if (!outside) {
        join_lines(&text, atx_str_text(&raw), false);
        join_lines(&wide, atx_str_text(&raw), true);
    }
    s->no_memory = s->no_memory || text.failed || wide.failed;
    s->depth++;
    outside =
        outside || has_outside(s, atx_str_text(&text), path) || has_outside(s, atx_str_text(&wide), path);
    s->depth--;
    return outside;
}

/* A file that the compiler may take for a name. One that is not there is no harm: it cannot be opened. */
static bool is_harmful(scan *s, const char *path)
{
    struct stat info;
    char *real = realpath(path, NULL);
    if (!real)
        return false;
    bool cuda = is_library(real, s->folders), own = is_own(real, s->name, s->folders);
    bool harmful = !(cuda || own) || stat(real, &info) != 0 || !S_ISREG(info.st_mode);
    if (!harmful && own && !cuda && remember(s, real))
        s->bad = s->bad || reaches_outside(s, path);
    harmful = harmful || (own && !cuda && s->bad);
    free(real);
    return harmful;
}

static bool is_harmful_in(scan *s, const char *folder, const hidden *d)
{
    ATX_LOCAL(atx_str) path = { 0 };
    atx_str_addf(&path, "%s/%.*s", folder, (int)d->len, d->name);
    s->no_memory = s->no_memory || path.failed;
    return is_harmful(s, atx_str_text(&path));
}

/* Wherever the compiler would look. Folders of libraries are not looked into, unless the name leads out. */
static bool is_outside(scan *s, const hidden *d, const char *includer)
{
    ATX_LOCAL(atx_str) folder = { 0 };
    if (!d->name || d->len > MAX_PATH_LEN || memmem(d->name, d->len, "?\?", 2)) /* of a trigraph */
        return true;
    if (d->name[0] == '/') {
        ATX_FREED char *path = atx_text_copy(d->name, d->len), *real = path ? realpath(path, NULL) : NULL;
        return !real || is_harmful(s, path);
    }
    add_folder_of(&folder, includer);
    s->no_memory = s->no_memory || folder.failed;
    bool outside = is_harmful_in(s, atx_str_text(&folder), d);
    for (int i = 0; i < s->folders->own_count && !outside; i++)
        outside = is_harmful_in(s, s->folders->own[i], d);
    const bool leaves = memmem(d->name, d->len, "..", 2) != NULL;
    for (int i = 0; i < ATX_CUDA_FOLDERS && s->folders->cuda[i] && leaves && !outside; i++)
        outside = is_harmful_in(s, s->folders->cuda[i], d);
    for (int i = 0; i < atx_headers_count(s->folders->headers) && leaves && !outside; i++)
        outside = is_harmful_in(s, atx_headers_folder(s->folders->headers, i), d);
    return outside;
}

/* ---- the whole ---- */

static void add_refusal(atx_str *out, const hidden *d)
{
    int len = d->len < MAX_SHOWN ? (int)d->len : MAX_SHOWN;
    if (d->asks)
        atx_str_add(out, "0");
    else if (!d->name)
        atx_str_add(
            out, "#error found an include whose file a macro names; expected its name in quotes or angles");
    else
        atx_str_addf(
            out,
            "#error found an include of %.*s, which is outside of the folders of the template and of "
            "CUDA, or includes what is; expected a file in these",
            len, d->name);
}

/* Adds the replacement of the joined text; nothing where it may stay. */
static void replace_outside(atx_str *safe, scan *s, const char *joined)
{
    hidden d;
    const char *at = joined, *taken = at;
    for (; next_hidden(&d, joined, at); at = d.end) {
        if (!is_outside(s, &d, s->name))
            continue;
        atx_str_add_bytes(safe, taken, (size_t)(d.begin - taken));
        add_refusal(safe, &d);
        atx_str_add(safe, *d.end && !strchr("\r\n", *d.end) ? " " : "");
        taken = d.end;
    }
    if (taken != joined)
        atx_str_add(safe, taken);
}

at_status atx_includes_check(atx_str *safe, const char *source, const char *name,
                             const atx_include_folders *folders, at_error *err)
{
    scan s = { .folders = folders, .name = name };
    ATX_LOCAL(atx_str) text = { 0 }, wide = { 0 }, again = { 0 };
    join_lines(&text, source, false);
    replace_outside(safe, &s, atx_str_text(&text));
    join_lines(&wide, safe->len ? safe->data : source, true);
    replace_outside(&again, &s, atx_str_text(&wide));
    if (again.len && !safe->failed) {
        atx_str_reset(safe);
        atx_str_add(safe, again.data);
    }
    bool failed = text.failed || wide.failed || again.failed || safe->failed || s.no_memory;
    for (size_t i = 0; i < s.seen_count; i++)
        free(s.seen[i]);
    free(s.seen);
    return failed ? atx_no_memory(err) : AT_OK;
}

/* The length of the absolute path that a line of a log begins with, "/a/b(12): error: ..."; 0: none. */
static size_t place_len(const char *line)
{
    const char *open = line[0] == '/' ? strstr(line, "): ") : NULL;
    size_t len = open ? (size_t)(open - line) : 0;
    if (!open || memchr(line, '\n', len))
        return 0;
    while (len && line[len - 1] >= '0' && line[len - 1] <= '9')
        len--;
    return len && line[len - 1] == '(' ? len - 1 : 0;
}

/* Below this folder, as it is written? */
static bool is_written_in(const char *line, size_t len, const char *folder)
{
    size_t n = strlen(folder);
    return n && len > n && memcmp(line, folder, n) == 0 && !memmem(line + n, len - n, "..", 2);
}

/* Of files in the folders of the template links were followed before. */
static bool names_outside(const char *line, size_t len, const char *name, const atx_include_folders *folders)
{
    ATX_LOCAL(atx_str) path = { 0 };
    bool written = false;
    for (int i = 0; i < ATX_CUDA_FOLDERS && folders->cuda[i] && !written; i++)
        written = is_written_in(line, len, folders->cuda[i]);
    for (int i = 0; i < atx_headers_count(folders->headers) && !written; i++)
        written = is_written_in(line, len, atx_headers_folder(folders->headers, i));
    if (written)
        return false;
    atx_str_add_bytes(&path, line, len);
    char *slash = path.failed ? NULL : strrchr(path.data, '/');
    if (slash)
        slash[slash == path.data] = '\0';
    char *real = slash ? realpath(path.data, NULL) : NULL;
    atx_str_reset(&path);
    atx_str_addf(&path, "%s/", real ? real : "");
    bool outside =
        real && !is_own(atx_str_text(&path), name, folders) && !is_library(atx_str_text(&path), folders);
    free(real);
    return outside;
}

/* The line of a file that a message quotes: the one above its '^', behind its other lines. */
static const char *quoted_line(const char *line)
{
    const char *next = strchr(line, '\n'), *last = "";
    while (next && *++next && place_len(next) == 0) {
        const size_t blanks = strspn(next, BLANKS);
        if (next[blanks] == '^')
            return last;
        last = next;
        next = strchr(next, '\n');
    }
    return "";
}

/*
 * The text itself says by #line that this file's lines are in it, and what is quoted of the file is: the
 * compiler has it from there.
 */
static bool is_quoted(const char *source, const char *line, size_t len)
{
    ATX_LOCAL(atx_str) label = { 0 }, quoted = { 0 };
    const char *next = quoted_line(line);
    next += strspn(next, BLANKS);
    atx_str_addf(&label, " \"%.*s\"\n", (int)len, line);
    atx_str_add_bytes(&quoted, next, strcspn(next, "\n"));
    return !label.failed && quoted.len && !quoted.failed && strstr(source, atx_str_text(&label)) &&
           strstr(source, atx_str_text(&quoted));
}

void atx_includes_hide(atx_str *log, const char *source, const char *name, const atx_include_folders *folders)
{
    atx_str said = { 0 };
    for (const char *line = atx_str_text(log); line && !said.len; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t len = place_len(line);
        if (len && names_outside(line, len, name, folders) && !is_quoted(source, line, len))
            atx_str_addf(
                &said,
                "%s: error: found %.*s to be included, which is outside of the template's folders and "
                "CUDA's; expected files in these. What the compiler says of it is left out",
                name, len < MAX_SHOWN ? (int)len : MAX_SHOWN, line);
    }
    if (!said.len)
        return;
    atx_str_clear(log);
    *log = said;
}

/* "a.h", <lib/b.h> and 3 more; how many there are. */
static int list_lacks(atx_str *out, const char *source)
{
    enum { SHOWN = 6 };
    size_t len;
    int count = 0, shown = 0;
    const char *name, *at = source;
    while ((name = atx_device_lacks(&len, &at)) != NULL) {
        ATX_LOCAL(atx_str) one = { 0 };
        atx_str_addf(&one, "%.*s", len < MAX_SHOWN ? (int)len : MAX_SHOWN, name);
        const bool known = out->len && strstr(atx_str_text(out), atx_str_text(&one));
        if (!known && count++ < SHOWN)
            atx_str_addf(out, "%s%s", shown++ ? ", " : "", atx_str_text(&one));
    }
    if (count > shown)
        atx_str_addf(out, " and %d more", count - shown);
    return count;
}

/* The messages of a log about undeclared names. */
static bool speaks_of_names(const char *log)
{
    static const char *const SIGNS[] = { "is undefined",       "must be a namespace name",
                                         "is not a template",  "has no member",
                                         "type specifier",     "does not name",
                                         "incomplete type is", "#error" };
    for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++)
        if (strstr(log, SIGNS[i]))
            return true;
    return false;
}

void atx_includes_hint(atx_str *log, const char *source)
{
    ATX_LOCAL(atx_str) lacks = { 0 };
    const int count = speaks_of_names(atx_str_text(log)) ? list_lacks(&lacks, source) : 0;
    if (count)
        atx_str_addf(
            log,
            "\nhint: the source includes %s, which %s not found; a line `include FOLDER` names the folder "
            "of a project's headers, and --headers DIR that of a library",
            atx_str_text(&lacks), count > 1 ? "were" : "was");
    if (count)
        return;
    static const struct {
        const char *sign, *and, *hint;
    } HINTS[] = {
        { "not allowed in JIT mode", "/cub/",
          "of CUB include what a kernel uses, as <cub/block/block_reduce.cuh>; <cub/cub.cuh> and cub/device "
          "are for the host" },
        { "host functions are not allowed in JIT mode", "",
          "a line `option -default-device` takes functions without __device__ for the device's, as those of "
          "CUTLASS are" },
        { "cannot open source file \"", "",
          "NVRTC has none of the host's headers: leave them out by #ifndef __CUDACC_RTC__; "
          "<cuda/std/cstdint> and the like are there. Files of your own lie beside the file, or in an "
          "`include` folder; those of a library in a folder that --headers DIR names" },
        { "cannot determine which instance of function template", "#pragma nv_mangled_name",
          "the kernel is a template: a line `kernel NAME<T>` names its arguments, types, parameters or "
          "values" },
    };
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++) {
        const char *text = atx_str_text(log);
        if (!strstr(text, HINTS[i].sign) || !strstr(text, HINTS[i].and))
            continue;
        atx_str_addf(log, "%shint: %s", log->len && log->data[log->len - 1] == '\n' ? "" : "\n",
                     HINTS[i].hint);
        return;
    }
}
