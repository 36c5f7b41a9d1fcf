/*
 * includes.c - directives are looked for in the text, not parsed: one that a comment, a string or an #if
 * hides is looked at too, since what is replaced there changes nothing. So nothing must be known of the
 * language but how a directive can be spelled: %: for #, comments between its words, lines that a backslash
 * joins.
 */
#include "compile/includes.h"

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
static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

typedef struct scan {
    const at__include_folders *folders;
    const char *name; /* of the template's file            */
    char **seen;      /* files of its own that were judged */
    size_t seen_count, seen_cap;
    int depth;
    bool bad; /* one of them reaches outside */
    bool no_memory;
} scan;

/* #include and the like with what it names, or a question. */
typedef struct directive {
    const char *begin, *end;
    const char *name; /* what it names; NULL: it is not written out */
    size_t len;
    bool asks;
} directive;

/* ---- finding directives ---- */

/* Joins the lines that a backslash continues; their ends come after the line, so that numbers stay. */
static void join_lines(at__str *out, const char *text)
{
    size_t owed = 0;
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, "\\\n");
        at__str_add_bytes(out, at, len);
        at += len;
        size_t gap = *at == '\\' ? 1 + strspn(at + 1, " \t\f\v\r") : 0;
        if (gap && at[gap] == '\n') {
            owed++;
            at += gap + 1;
        } else if (*at) {
            bool end = *at == '\n';
            at__str_add_bytes(out, at++, 1);
            for (; end && owed; owed--)
                at__str_add(out, "\n");
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

/* What stands between quotes or angles, on one line. */
static void read_name(directive *d, const char *at)
{
    size_t len = *at == '"' ? strcspn(at + 1, "\"\r\n") : *at == '<' ? strcspn(at + 1, ">\r\n") : 0;
    bool whole = (*at == '"' || *at == '<') && at[len + 1] == (*at == '"' ? '"' : '>');
    d->name = whole ? at + 1 : NULL;
    d->len = len;
    d->end = whole ? at + len + 2 : at;
}

static bool read_directive(directive *out, const char *text, const char *at)
{
    static const char *const WORDS[] = { "include", "include_next", "import", "embed", NULL };
    size_t mark = at[0] == '#' ? 1 : strncmp(at, "%:", 2) == 0 ? 2 : strncmp(at, "?\?=", 3) == 0 ? 3 : 0;
    if (!mark || !begins_line(text, at))
        return false;
    const char *word = skip_blanks(at + mark);
    if (!is_word(word, WORDS))
        return false;
    *out = (directive){ .begin = at };
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

static bool read_question(directive *out, const char *text, const char *at)
{
    static const char *const WORDS[] = { "__has_include", "__has_include_next", "__has_embed", NULL };
    bool inside = at > text && strchr(LETTERS, at[-1]);
    if (*at != '_' || inside || !is_word(at, WORDS) || is_asked_for(text, at))
        return false;
    const char *open = skip_blanks(at + strspn(at, LETTERS));
    *out = (directive){ .begin = at, .end = open, .asks = true };
    if (*open == '(') {
        read_name(out, skip_blanks(open + 1));
        const char *close = out->name ? skip_blanks(out->end) : out->end + strcspn(out->end, ")\r\n");
        out->end = *close == ')' ? close + 1 : close;
    }
    return true;
}

static bool next_directive(directive *out, const char *text, const char *from)
{
    for (const char *at = from; (at = strpbrk(at, "#%?_")) != NULL; at++)
        if (read_directive(out, text, at) || read_question(out, text, at))
            return true;
    return false;
}

/* ---- judging files ---- */

static void add_folder_of(at__str *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    at__str_add_bytes(out, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    at__str_add(out, "/");
}

/* `real` has no links in it; the folder may. */
static bool is_in(const char *real, const char *folder)
{
    char *real_folder = folder[0] ? realpath(folder, NULL) : NULL;
    size_t len = real_folder ? strlen(real_folder) : 0;
    while (len && real_folder[len - 1] == '/')
        len--; /* the root */
    bool in = real_folder && strncmp(real, real_folder, len) == 0 && real[len] == '/';
    free(real_folder);
    return in;
}

static bool is_own(const char *real, const char *name, const at__include_folders *folders)
{
    at__str folder = { 0 };
    add_folder_of(&folder, name);
    bool own = is_in(real, at__str_text(&folder));
    at__str_add(&folder, "../common");
    own = own || is_in(real, at__str_text(&folder));
    for (int i = 0; i < folders->own_count && !own; i++)
        own = is_in(real, folders->own[i]);
    own = own && !folder.failed;
    at__str_clear(&folder);
    return own;
}

/* true: it was new. */
static bool remember(scan *s, const char *real)
{
    for (size_t i = 0; i < s->seen_count; i++)
        if (strcmp(s->seen[i], real) == 0)
            return false;
    char *copy = at__text_copy(real, strlen(real));
    s->no_memory = s->no_memory || !copy || !at__grow(&s->seen, &s->seen_cap, s->seen_count, sizeof(char *));
    if (s->no_memory)
        free(copy);
    else
        s->seen[s->seen_count++] = copy;
    return !s->no_memory;
}

static bool is_outside(scan *s, const directive *d, const char *includer);

/* Does a file of the template's own, or one that it includes, reach outside? */
static bool reaches_outside(scan *s, const char *path)
{
    directive d;
    at__str raw = { 0 }, text = { 0 };
    bool outside = s->depth == MAX_DEPTH || at__str_read_file(&raw, path, MAX_BYTES, NULL) != AT_OK ||
                   strlen(at__str_text(&raw)) != raw.len;
    if (!outside)
        join_lines(&text, at__str_text(&raw));
    s->no_memory = s->no_memory || text.failed;
    s->depth++;
    for (const char *at = at__str_text(&text); !outside && next_directive(&d, at__str_text(&text), at);
         at = d.end)
        outside = is_outside(s, &d, path);
    s->depth--;
    at__str_clear(&raw);
    at__str_clear(&text);
    return outside;
}

/* A file that the compiler may take for a name. One that is not there is no harm: it cannot be opened. */
static bool is_harmful(scan *s, const char *path)
{
    struct stat info;
    char *real = realpath(path, NULL);
    if (!real)
        return false;
    bool cuda = is_in(real, s->folders->cuda), own = is_own(real, s->name, s->folders);
    bool harmful = !(cuda || own) || stat(real, &info) != 0 || !S_ISREG(info.st_mode);
    if (!harmful && own && !cuda && remember(s, real))
        s->bad = s->bad || reaches_outside(s, path);
    harmful = harmful || (own && !cuda && s->bad);
    free(real);
    return harmful;
}

static bool is_harmful_in(scan *s, const char *folder, const directive *d)
{
    at__str path = { 0 };
    at__str_addf(&path, "%s/%.*s", folder, (int)d->len, d->name);
    s->no_memory = s->no_memory || path.failed;
    bool harmful = is_harmful(s, at__str_text(&path));
    at__str_clear(&path);
    return harmful;
}

/* Wherever the compiler would look. CUDA's folder is not looked into, unless the name leads out of it. */
static bool is_outside(scan *s, const directive *d, const char *includer)
{
    at__str folder = { 0 };
    if (!d->name || d->len > MAX_PATH_LEN)
        return true;
    if (d->name[0] == '/') {
        char *path = at__text_copy(d->name, d->len), *real = path ? realpath(path, NULL) : NULL;
        bool outside = !real || is_harmful(s, path);
        free(real);
        free(path);
        return outside;
    }
    add_folder_of(&folder, includer);
    s->no_memory = s->no_memory || folder.failed;
    bool outside = is_harmful_in(s, at__str_text(&folder), d);
    at__str_clear(&folder);
    for (int i = 0; i < s->folders->own_count && !outside; i++)
        outside = is_harmful_in(s, s->folders->own[i], d);
    if (!outside && s->folders->cuda[0] && memmem(d->name, d->len, "..", 2))
        outside = is_harmful_in(s, s->folders->cuda, d);
    return outside;
}

/* ---- the whole ---- */

static void add_refusal(at__str *out, const directive *d)
{
    int len = d->len < MAX_SHOWN ? (int)d->len : MAX_SHOWN;
    if (d->asks)
        at__str_add(out, "0");
    else if (!d->name)
        at__str_add(
            out, "#error found an include whose file a macro names; expected its name in quotes or angles");
    else
        at__str_addf(
            out,
            "#error found an include of %.*s, which is outside of the folders of the template and of "
            "CUDA, or includes what is; expected a file in these",
            len, d->name);
}

at_status at__includes_check(at__str *safe, const char *source, const char *name,
                             const at__include_folders *folders, at_error *err)
{
    scan s = { .folders = folders, .name = name };
    at__str text = { 0 };
    directive d;
    join_lines(&text, source);
    const char *at = at__str_text(&text), *taken = at;
    for (; next_directive(&d, at__str_text(&text), at); at = d.end) {
        if (!is_outside(&s, &d, name))
            continue;
        at__str_add_bytes(safe, taken, (size_t)(d.begin - taken));
        add_refusal(safe, &d);
        at__str_add(safe, *d.end && !strchr("\r\n", *d.end) ? " " : "");
        taken = d.end;
    }
    if (taken != at__str_text(&text))
        at__str_add(safe, taken);
    bool failed = text.failed || safe->failed || s.no_memory;
    for (size_t i = 0; i < s.seen_count; i++)
        free(s.seen[i]);
    free(s.seen);
    at__str_clear(&text);
    return failed ? at_fail(err, AT_ERR_MEMORY, "out of memory") : AT_OK;
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

/* Of files in the folders of the template links were followed before. */
static bool names_outside(const char *line, size_t len, const char *name, const at__include_folders *folders)
{
    at__str path = { 0 };
    size_t cuda = strlen(folders->cuda);
    if (cuda && len > cuda && memcmp(line, folders->cuda, cuda) == 0 &&
        !memmem(line + cuda, len - cuda, "..", 2))
        return false;
    at__str_add_bytes(&path, line, len);
    char *slash = path.failed ? NULL : strrchr(path.data, '/');
    if (slash)
        slash[slash == path.data] = '\0';
    char *real = slash ? realpath(path.data, NULL) : NULL;
    at__str_reset(&path);
    at__str_addf(&path, "%s/", real ? real : "");
    bool outside =
        real && !is_own(at__str_text(&path), name, folders) && !is_in(at__str_text(&path), folders->cuda);
    free(real);
    at__str_clear(&path);
    return outside;
}

/*
 * The text itself says by #line that this file's lines are in it, and what is quoted of the file is: the
 * compiler has it from there.
 */
static bool is_quoted(const char *source, const char *line, size_t len)
{
    at__str label = { 0 }, quoted = { 0 };
    const char *next = strchr(line, '\n');
    next = next ? next + 1 : "";
    next += strspn(next, BLANKS);
    at__str_addf(&label, " \"%.*s\"\n", (int)len, line);
    at__str_add_bytes(&quoted, next, strcspn(next, "\n"));
    bool is = !label.failed && !quoted.failed && strstr(source, at__str_text(&label)) &&
              strstr(source, at__str_text(&quoted));
    at__str_clear(&label);
    at__str_clear(&quoted);
    return is;
}

void at__includes_hide(at__str *log, const char *source, const char *name, const at__include_folders *folders)
{
    at__str said = { 0 };
    for (const char *line = at__str_text(log); line && !said.len; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t len = place_len(line);
        if (len && names_outside(line, len, name, folders) && !is_quoted(source, line, len))
            at__str_addf(
                &said,
                "%s: error: found %.*s to be included, which is outside of the template's folders and "
                "CUDA's; expected files in these. What the compiler says of it is left out",
                name, len < MAX_SHOWN ? (int)len : MAX_SHOWN, line);
    }
    if (!said.len)
        return;
    at__str_clear(log);
    *log = said;
}

void at__includes_hint(at__str *log)
{
    static const struct {
        const char *sign, *and, *hint;
    } HINTS[] = {
        { "not allowed in JIT mode", "/cub/",
          "of CUB include what a kernel uses, as <cub/block/block_reduce.cuh>; <cub/cub.cuh> and cub/device "
          "are for the host" },
        { "cannot open source file \"", "",
          "NVRTC has none of the host's headers: leave them out by #ifndef __CUDACC_RTC__; "
          "<cuda/std/cstdint> "
          "and the like are there. Files of your own lie beside the file, or in an `include` folder" },
        { "cannot determine which instance of function template", "#pragma nv_mangled_name",
          "the kernel is a template: a line `kernel NAME<T>` names its arguments, types, parameters or "
          "values" },
    };
    for (size_t i = 0; i < sizeof HINTS / sizeof *HINTS; i++) {
        const char *text = at__str_text(log);
        if (!strstr(text, HINTS[i].sign) || !strstr(text, HINTS[i].and))
            continue;
        at__str_addf(log, "%shint: %s", log->len && log->data[log->len - 1] == '\n' ? "" : "\n",
                     HINTS[i].hint);
        return;
    }
}
