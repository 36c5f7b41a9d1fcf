/* ptx_parse.c - a module: its head, variables and functions; sections for debuggers are skipped. */
#include "ptx/ptx_internal.h"

#include "util/str.h"

#include <stdlib.h>
#include <string.h>

/* ---- functions ---- */

static bool read_sizes(int32_t out[3], atx_ptx_parser *p)
{
    for (int i = 0; i < 3; i++) {
        int64_t value = 1;
        if (i > 0 && !atx_ptx_take_sign(p, ','))
            break;
        if (!atx_ptx_expect_number(&value, p))
            return false;
        if (value < 1 || value > 65535)
            return atx_ptx_unexpected(p, "a size from 1 to 65535 before this");
        out[i] = (int32_t)value;
    }
    return true;
}

/* The directives between a function's parameters and its body. */
static bool read_attribute(atx_ptx_parser *p)
{
    atx_ptx_function *f = atx_ptx_current(p);
    const atx_ptx_token word = p->token;
    int32_t ignored[3];
    atx_ptx_advance(p);
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "noreturn") || atx_ptx_is(&word, ATX_TOKEN_DOT, "explicitcluster") ||
        atx_ptx_is(&word, ATX_TOKEN_DOT, "blocksareclusters"))
        return true;
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "pragma")) {
        if (p->token.kind != ATX_TOKEN_STRING)
            return atx_ptx_unexpected(p, "a string");
        atx_ptx_advance(p);
        return atx_ptx_expect_sign(p, ';');
    }
    const bool required = atx_ptx_is(&word, ATX_TOKEN_DOT, "reqntid");
    if (required || atx_ptx_is(&word, ATX_TOKEN_DOT, "maxntid")) {
        f->block[0] = f->block[1] = f->block[2] = 1;
        f->block_required = required;
        return read_sizes(f->block, p);
    }
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "reqnctapercluster")) {
        f->cluster[0] = f->cluster[1] = f->cluster[2] = 1;
        return read_sizes(f->cluster, p);
    }
    if (atx_ptx_is(&word, ATX_TOKEN_DOT, "minnctapersm") || atx_ptx_is(&word, ATX_TOKEN_DOT, "maxnreg") ||
        atx_ptx_is(&word, ATX_TOKEN_DOT, "maxclusterrank") ||
        atx_ptx_is(&word, ATX_TOKEN_DOT, "maxnctapersm"))
        return read_sizes(ignored, p);
    return atx_ptx_refuse(p, &word, "'.%.*s' of a function is not known", word.len, word.text);
}

static bool add_param(int32_t **list, int32_t *count, size_t *cap, atx_ptx_parser *p)
{
    int32_t variable = 0;
    if (!atx_ptx_read_param(p, &variable))
        return false;
    if (!atx_grow(list, cap, (size_t)*count, sizeof **list))
        return atx_ptx_no_memory(p);
    (*list)[(*count)++] = variable;
    return true;
}

/* "( .param .. a, .param .. b )"; offsets as the ABI packs them. */
static bool read_params(atx_ptx_parser *p, bool results)
{
    size_t cap = 0;
    if (!atx_ptx_take_sign(p, '('))
        return true;
    while (!atx_ptx_take_sign(p, ')')) {
        atx_ptx_function *f = atx_ptx_current(p);
        int32_t *count = results ? &f->result_count : &f->param_count;
        if (*count > 0 && !atx_ptx_expect_sign(p, ','))
            return false;
        if (!add_param(results ? &f->results : &f->params, count, &cap, p))
            return false;
    }
    return true;
}

static void lay_out_params(atx_ptx_parser *p)
{
    atx_ptx_function *f = atx_ptx_current(p);
    for (int i = 0; i < f->param_count; i++) {
        atx_ptx_variable *v = &p->out->module.variables[f->params[i]];
        if (f->is_entry) {
            v->offset = atx_ptx_round_up(f->param_bytes, v->align);
            f->param_bytes = v->offset + v->bytes;
        }
    }
}

/* The function of this name that was declared before; else a new one. */
static bool open_function(atx_ptx_parser *p, bool entry, const atx_ptx_token *name)
{
    atx_ptx_module_owned *o = p->out;
    int index = 0;
    const atx_ptx_symbol *s = atx_ptx_find(p, name->text, name->len, &index);
    if (s && s->kind == ATX_SYMBOL_FUNCTION && !o->module.functions[index].has_body) {
        atx_ptx_function *f = &o->module.functions[index];
        free(f->params);
        free(f->results);
        *f = (atx_ptx_function){ .name = f->name, .is_entry = entry };
        p->function = index;
        return true;
    }
    if (!atx_ptx_declare(p, name, ATX_SYMBOL_FUNCTION, o->module.function_count, 1))
        return false;
    if (!atx_grow(&o->module.functions, &o->function_cap, (size_t)o->module.function_count,
                  sizeof *o->module.functions))
        return atx_ptx_no_memory(p);
    const char *copy = atx_ptx_own(p, name->text, (size_t)name->len);
    p->function = o->module.function_count;
    o->module.functions[o->module.function_count++] = (atx_ptx_function){ .name = copy, .is_entry = entry };
    return copy != NULL;
}

static bool read_function(atx_ptx_parser *p, bool entry)
{
    /* Results stand before the name, and the function is known by its name: they are read a second time. */
    const atx_ptx_lexer at_results = p->lexer;
    const atx_ptx_token before = p->token;
    const bool results = !entry && atx_ptx_is_sign(p, '(');
    while (results && !atx_ptx_is_sign(p, ')') && p->token.kind != ATX_TOKEN_END)
        atx_ptx_advance(p);
    if (results)
        atx_ptx_advance(p);
    const atx_ptx_token name = p->token;
    if (name.kind != ATX_TOKEN_WORD)
        return atx_ptx_unexpected(p, "a function's name");
    if (!open_function(p, entry, &name))
        return false;
    atx_ptx_enter(p);
    p->file = p->outer_file = ATX_PTX_NO_INDEX;
    p->line = p->outer_line = 0;
    p->register_cap = p->instruction_cap = p->operand_cap = p->table_cap = 0;
    if (results) {
        p->lexer = at_results;
        p->token = before;
        if (!read_params(p, true))
            return false;
    }
    atx_ptx_advance(p);
    if (!read_params(p, false))
        return false;
    while (p->token.kind == ATX_TOKEN_DOT)
        if (!read_attribute(p))
            return false;
    lay_out_params(p);
    const bool good = atx_ptx_take_sign(p, ';') || atx_ptx_read_body(p);
    if (!good || !atx_ptx_leave(p))
        return false;
    p->function = ATX_PTX_NO_INDEX;
    return true;
}

/* ---- the module ---- */

static bool read_version(atx_ptx_parser *p)
{
    if (p->token.kind != ATX_TOKEN_NUMBER || p->token.real_bits != 64)
        return atx_ptx_unexpected(p, "a version, as 8.0");
    double version;
    memcpy(&version, &p->token.value, sizeof version);
    if (!(version >= 1 && version < 100))
        return atx_ptx_unexpected(p, "a version from 1.0 to 99.9");
    p->out->module.version = (int)(version * 10 + 0.5);
    atx_ptx_advance(p);
    return true;
}

/* "sm_90a, debug" */
static bool read_target(atx_ptx_parser *p)
{
    const atx_ptx_token *t = &p->token;
    if (t->kind != ATX_TOKEN_WORD || t->len < 5 || t->len > 10 || memcmp(t->text, "sm_", 3) != 0)
        return atx_ptx_unexpected(p, "a target, as sm_90");
    int target = 0;
    for (int i = 3; i < t->len && t->text[i] >= '0' && t->text[i] <= '9'; i++)
        target = 10 * target + (t->text[i] - '0');
    p->out->module.target = target;
    atx_ptx_advance(p);
    while (atx_ptx_take_sign(p, ','))
        atx_ptx_advance(p);
    return true;
}

/* `.file 1 "k.cu", 123, 456` */
static bool read_file(atx_ptx_parser *p)
{
    atx_ptx_module *m = &p->out->module;
    int64_t number = 0, ignored;
    size_t cap = (size_t)m->file_count;
    if (!atx_ptx_expect_number(&number, p))
        return false;
    if (number < 0 || number > 4095 || p->token.kind != ATX_TOKEN_STRING)
        return atx_ptx_unexpected(p, "a file's number up to 4095 and its name");
    while (m->file_count <= number) {
        if (!atx_grow(&m->files, &cap, (size_t)m->file_count, sizeof *m->files))
            return atx_ptx_no_memory(p);
        m->files[m->file_count++] = NULL;
    }
    m->files[number] = atx_ptx_own(p, p->token.text, (size_t)p->token.len);
    atx_ptx_advance(p);
    while (atx_ptx_take_sign(p, ','))
        if (!atx_ptx_expect_number(&ignored, p))
            return false;
    return true;
}

static bool skip_section(atx_ptx_parser *p)
{
    int depth = 0;
    while (!atx_ptx_is_sign(p, '{') && p->token.kind != ATX_TOKEN_END)
        atx_ptx_advance(p);
    do {
        if (p->token.kind == ATX_TOKEN_END || p->token.kind == ATX_TOKEN_BAD)
            return atx_ptx_unexpected(p, "'}' of a section");
        depth += atx_ptx_is_sign(p, '{');
        depth -= atx_ptx_is_sign(p, '}');
        atx_ptx_advance(p);
    } while (depth > 0);
    return true;
}

static bool read_address_size(atx_ptx_parser *p)
{
    int64_t bits = 0;
    const atx_ptx_token at = p->token;
    if (!atx_ptx_expect_number(&bits, p))
        return false;
    return bits == 64 || atx_ptx_refuse(p, &at, "addresses of %lld bits; 64 are known", (long long)bits);
}

static bool read_top(atx_ptx_parser *p)
{
    bool external = false;
    int ignored;
    for (;;) {
        const atx_ptx_token word = p->token;
        if (word.kind != ATX_TOKEN_DOT)
            return atx_ptx_unexpected(p, "a directive, as .entry or .global");
        if (atx_ptx_space_of(&ignored, &word))
            return atx_ptx_read_variables(p, external);
        atx_ptx_advance(p);
        if (atx_ptx_is(&word, ATX_TOKEN_DOT, "extern"))
            external = true;
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "visible") || atx_ptx_is(&word, ATX_TOKEN_DOT, "weak") ||
                 atx_ptx_is(&word, ATX_TOKEN_DOT, "common"))
            continue;
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "entry"))
            return read_function(p, true);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "func"))
            return read_function(p, false);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "version"))
            return read_version(p);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "target"))
            return read_target(p);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "address_size"))
            return read_address_size(p);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "file"))
            return read_file(p);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "section"))
            return skip_section(p);
        else if (atx_ptx_is(&word, ATX_TOKEN_DOT, "pragma")) {
            atx_ptx_advance(p);
            return atx_ptx_expect_sign(p, ';');
        } else
            return atx_ptx_refuse(p, &word, "the directive '.%.*s' is not known", word.len, word.text);
    }
}

/* Files may be named behind the lines that are of them. */
static void forget_unknown_files(atx_ptx_module *m)
{
    for (int f = 0; f < m->function_count; f++)
        for (int i = 0; i < m->functions[f].instruction_count; i++) {
            atx_ptx_instruction *at = &m->functions[f].instructions[i];
            if (at->file >= m->file_count || (at->file >= 0 && !m->files[at->file]))
                at->file = ATX_PTX_NO_INDEX;
        }
}

/* The register of a group that is one; -1: it is none. */
static int32_t register_of(const atx_ptx_function *f, const atx_ptx_instruction *i, int g)
{
    const atx_ptx_operand *o = g < i->group_count && i->width[g] == 1 ? atx_ptx_group(f, i, g) : NULL;
    return o && o->kind == ATX_PTX_REGISTER ? o->index : -1;
}

/* "was = *p; do seen = was; while ((was = atomicCAS(p, seen, ..)) != seen)": what a cas compares with, and
 * what is moved there. false: out of memory. */
static bool find_guesses(atx_ptx_parser *p, atx_ptx_function *f)
{
    enum { MOST_MOVES = 4 };
    bool any = false, *compared = calloc((size_t)f->register_count + 1, sizeof *compared);
    if (!compared)
        return atx_ptx_no_memory(p);
    for (int32_t k = 0; k < f->instruction_count; k++) {
        const atx_ptx_instruction *i = &f->instructions[k];
        const int32_t with = i->op == ATX_PTX_ATOM && i->action == ATX_PTX_DO_CAS ? register_of(f, i, 2) : -1;
        any = any || with >= 0;
        if (with >= 0)
            compared[with] = true;
    }
    for (int pass = 0; pass <= MOST_MOVES && any; pass++)
        for (int32_t k = 0; k < f->instruction_count; k++) {
            atx_ptx_instruction *i = &f->instructions[k];
            const int32_t to = register_of(f, i, 0), from = register_of(f, i, 1);
            if (to >= 0 && compared[to] && i->op == ATX_PTX_MOV && from >= 0)
                compared[from] = true;
            i->guesses = i->op == ATX_PTX_LD && to >= 0 && compared[to];
        }
    free(compared);
    return true;
}

/* The shared variables of an entry begin where those of the module end. */
static void place_shared(atx_ptx_module *m)
{
    const int64_t first = atx_ptx_round_up(m->shared_bytes, 128);
    for (int i = 0; i < m->variable_count; i++) {
        atx_ptx_variable *v = &m->variables[i];
        if (v->space == ATX_PTX_SHARED && !v->external && v->function >= 0 &&
            m->functions[v->function].is_entry)
            v->offset += first;
    }
    for (int i = 0; i < m->function_count; i++)
        if (m->functions[i].is_entry)
            m->functions[i].shared_bytes += m->functions[i].shared_bytes ? first : m->shared_bytes;
}

at_status atx_ptx_parse(atx_ptx_module **out, const char *text, size_t len, at_error *err)
{
    atx_ptx_parser *p = calloc(1, sizeof *p);
    if (!p)
        return atx_fail(err, AT_ERR_MEMORY, "out of memory for a kernel's PTX");
    p->err = err;
    p->lexer = (atx_ptx_lexer){ .at = text, .end = text + len, .line_start = text, .line = 1 };
    p->function = ATX_PTX_NO_INDEX;
    p->file = p->outer_file = ATX_PTX_NO_INDEX;
    for (int i = 0; i < ATX_PTX_BUCKETS; i++)
        p->buckets[i] = -1;
    p->out = calloc(1, sizeof *p->out);
    if (!p->out)
        atx_ptx_no_memory(p);
    else
        atx_ptx_advance(p);
    while (p->status == AT_OK && p->token.kind != ATX_TOKEN_END)
        if (!read_top(p))
            break;
    for (int f = 0; p->status == AT_OK && f < p->out->module.function_count; f++)
        (void)find_guesses(p, &p->out->module.functions[f]);
    const at_status status = p->status;
    if (status == AT_OK) {
        forget_unknown_files(&p->out->module);
        place_shared(&p->out->module);
        *out = &p->out->module;
    } else
        atx_ptx_close(p->out ? &p->out->module : NULL);
    free(p->symbols);
    free(p->fixups);
    free(p->places);
    free(p);
    return status;
}

void atx_ptx_close(atx_ptx_module *module)
{
    if (!module)
        return;
    ATX_FREED atx_ptx_module_owned *o = (atx_ptx_module_owned *)module;
    for (int i = 0; i < module->function_count; i++) {
        atx_ptx_function *f = &module->functions[i];
        free(f->params);
        free(f->results);
        free(f->registers);
        free(f->instructions);
        free(f->operands);
        free(f->tables);
    }
    for (size_t i = 0; i < o->owned_count; i++)
        free(o->owned[i]);
    free(o->owned);
    free(module->functions);
    free(module->variables);
    free(module->files);
}
