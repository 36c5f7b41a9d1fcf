/*
 * test_copies.c - asynchronous copies to shared memory, as machine code has them. One that has a part of its
 * address in a uniform register has no place for the policy of the L2 but the register behind that; NVRTC
 * 13.0 then names neither, and the device stops at an illegal instruction. Templates hide addresses from the
 * compiler (begin_of() in templates/common/async.cuh), so there is no such copy in what they make.
 */
#include "compile/nvrtc.h"
#include "lang/arch.h"
#include "lang/catalog.h"
#include "lang/render.h"
#include "lang/shapes.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

/* The lower bits of an instruction, of 16 bytes, from compute capability 7.0 on. */
enum { CC = 90, INSTRUCTION = 16, OPCODE = 0xfff, COPY = 0xfae, COPY_OF_UNIFORM_PLACE = 0xdae };

/* Kernels that keep what they read in the L2, and choose the buffer to be filled while they run. */
static const struct {
    const char *problem, *template, *config;
} CASES[] = {
    { "transpose 334784x5x14 f32", "stream", "MATRICES=64 THREADS=128 PARTS=1 TURNS=0 AHEAD=1 SKEW=no" },
    { "transpose 334784x5x14 f32", "stream", "MATRICES=64 THREADS=128 PARTS=4 TURNS=8 AHEAD=1 SKEW=no" },
    { "transpose 334784x5x14 f32", "stream", "MATRICES=64 THREADS=160 PARTS=4 TURNS=0 AHEAD=2 SKEW=no" },
};

static atx_nvrtc *nvrtc;
static atx_catalog *catalog;

static int count(const atx_str *cubin, unsigned opcode)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)cubin->data;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(cubin->data + head->e_shoff);
    const char *names = cubin->data + sections[head->e_shstrndx].sh_offset;
    int found = 0;
    for (int i = 0; i < head->e_shnum; i++)
        for (uint64_t at = 0;
             strncmp(names + sections[i].sh_name, ".text.", 6) == 0 && at < sections[i].sh_size;
             at += INSTRUCTION) {
            uint16_t low;
            memcpy(&low, cubin->data + sections[i].sh_offset + at, sizeof low);
            found += (low & OPCODE) == opcode;
        }
    return found;
}

static void compile(atx_str *cubin, const atx_str *source)
{
    atx_str log = { 0 };
    atx_resources resources;
    at_error err = { 0 };
    bool ok = false;
    at_status status =
        atx_nvrtc_compile(nvrtc, &ok, cubin, &log, &resources,
                          &(atx_nvrtc_source){ atx_str_text(source), "t.cu", CC, ATX_CUBIN }, &err);
    cr_assert(status == AT_OK && ok, "%s%s", err.text, atx_str_text(&log));
    atx_str_clear(&log);
}

static void render(atx_str *source, int i)
{
    at_error err = { 0 };
    atx_shapes shapes = { 0 };
    atx_limits limits;
    atx_config config;
    int64_t slots[ATX_MAX_SLOTS];
    atx_arch_limits(&limits, CC);
    cr_assert(atx_shapes_parse(&shapes, CASES[i].problem, strlen(CASES[i].problem), "cases", catalog, NULL,
                               &err) == AT_OK,
              "%s", err.text);
    const atx_problem *p = &shapes.problems[0];
    const atx_template *t = atx_catalog_find_template(catalog, p->op, CASES[i].template);
    memcpy(config.values, t->scope.defaults, sizeof config.values);
    cr_assert(atx_config_change(&config, t, CASES[i].config, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_problem_bind(slots, p, &limits, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_config_validate(slots, t, &config, &err) == AT_OK, "%s", err.text);
    cr_assert(atx_render(source, t, p->type, &config, slots, &err) == AT_OK, "%s", err.text);
    atx_shapes_clear(&shapes);
}

static void begin(void)
{
    at_error err = { 0 };
    if (atx_nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    cr_assert(atx_catalog_open(&catalog, NULL, &err) == AT_OK, "%s", err.text);
}

static void end(void)
{
    atx_catalog_close(catalog);
    atx_nvrtc_close(nvrtc);
}

TestSuite(copies, .init = begin, .fini = end);

Test(copies, no_template_gives_one_an_address_in_a_uniform_register)
{
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++) {
        atx_str source = { 0 }, cubin = { 0 };
        render(&source, i);
        cr_expect(strstr(atx_str_text(&source), "constexpr int KEEP = 1;"), "%s", CASES[i].config);
        compile(&cubin, &source);
        cr_expect_gt(count(&cubin, COPY), 0, "%s", CASES[i].config);
        cr_expect_eq(count(&cubin, COPY_OF_UNIFORM_PLACE), 0, "%s %s: %d", CASES[i].template, CASES[i].config,
                     count(&cubin, COPY_OF_UNIFORM_PLACE));
        atx_str_clear(&source);
        atx_str_clear(&cubin);
    }
}

/* The same without what hides the address: the test above has something to find. */
Test(copies, one_that_is_not_hidden_is_found)
{
    static const char HIDES[] = "MOVING  = KEEP && ";
    atx_str source = { 0 }, plain = { 0 }, cubin = { 0 };
    if (strcmp(atx_nvrtc_version(nvrtc), "13.0") != 0)
        cr_skip_test("another NVRTC may have no such fault");
    render(&source, 0);
    const char *at = strstr(atx_str_text(&source), HIDES);
    cr_assert(at, "stream says otherwise now what it hides");
    atx_str_add_bytes(&plain, atx_str_text(&source), (size_t)(at - atx_str_text(&source)));
    atx_str_add(&plain, "MOVING = false && ");
    atx_str_add(&plain, at + strlen(HIDES));
    compile(&cubin, &plain);
    cr_expect_gt(count(&cubin, COPY_OF_UNIFORM_PLACE), 0);
    atx_str_clear(&source);
    atx_str_clear(&plain);
    atx_str_clear(&cubin);
}
