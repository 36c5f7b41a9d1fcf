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

static at__nvrtc *nvrtc;
static at__catalog *catalog;

static int count(const at__str *cubin, unsigned opcode)
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

static void compile(at__str *cubin, const at__str *source)
{
    at__str log = { 0 };
    at__resources resources;
    at_error err = { 0 };
    bool ok = false;
    at_status status = at__nvrtc_compile(nvrtc, &ok, cubin, &log, &resources, at__str_text(source), "t.cu",
                                         CC, AT__CUBIN, &err);
    cr_assert(status == AT_OK && ok, "%s%s", err.text, at__str_text(&log));
    at__str_clear(&log);
}

static void render(at__str *source, int i)
{
    at_error err = { 0 };
    at__shapes shapes = { 0 };
    at__limits limits;
    at__config config;
    int64_t slots[AT__MAX_SLOTS];
    at__arch_limits(&limits, CC);
    cr_assert(at__shapes_parse(&shapes, CASES[i].problem, strlen(CASES[i].problem), "cases", catalog, NULL,
                               &err) == AT_OK,
              "%s", err.text);
    const at__problem *p = &shapes.problems[0];
    const at__template *t = at__catalog_find_template(catalog, p->op, CASES[i].template);
    memcpy(config.values, t->defaults, sizeof config.values);
    cr_assert(at__config_change(&config, t, CASES[i].config, &err) == AT_OK, "%s", err.text);
    cr_assert(at__problem_bind(slots, p, &limits, &err) == AT_OK, "%s", err.text);
    cr_assert(at__config_validate(slots, t, &config, &err) == AT_OK, "%s", err.text);
    cr_assert(at__render(source, t, p->type, &config, slots, &err) == AT_OK, "%s", err.text);
    at__shapes_clear(&shapes);
}

static void begin(void)
{
    at_error err = { 0 };
    if (at__nvrtc_open(&nvrtc, &err) != AT_OK)
        cr_skip_test("NVRTC is not installed");
    cr_assert(at__catalog_open(&catalog, NULL, &err) == AT_OK, "%s", err.text);
}

static void end(void)
{
    at__catalog_close(catalog);
    at__nvrtc_close(nvrtc);
}

TestSuite(copies, .init = begin, .fini = end);

Test(copies, no_template_gives_one_an_address_in_a_uniform_register)
{
    for (int i = 0; i < (int)(sizeof CASES / sizeof *CASES); i++) {
        at__str source = { 0 }, cubin = { 0 };
        render(&source, i);
        cr_expect(strstr(at__str_text(&source), "constexpr int KEEP = 1;"), "%s", CASES[i].config);
        compile(&cubin, &source);
        cr_expect_gt(count(&cubin, COPY), 0, "%s", CASES[i].config);
        cr_expect_eq(count(&cubin, COPY_OF_UNIFORM_PLACE), 0, "%s %s: %d", CASES[i].template, CASES[i].config,
                     count(&cubin, COPY_OF_UNIFORM_PLACE));
        at__str_clear(&source);
        at__str_clear(&cubin);
    }
}

/* The same without what hides the address: the test above has something to find. */
Test(copies, one_that_is_not_hidden_is_found)
{
    static const char HIDES[] = "MOVING  = KEEP && ";
    at__str source = { 0 }, plain = { 0 }, cubin = { 0 };
    if (strcmp(at__nvrtc_version(nvrtc), "13.0") != 0)
        cr_skip_test("another NVRTC may have no such fault");
    render(&source, 0);
    const char *at = strstr(at__str_text(&source), HIDES);
    cr_assert(at, "stream says otherwise now what it hides");
    at__str_add_bytes(&plain, at__str_text(&source), (size_t)(at - at__str_text(&source)));
    at__str_add(&plain, "MOVING = false && ");
    at__str_add(&plain, at + strlen(HIDES));
    compile(&cubin, &plain);
    cr_expect_gt(count(&cubin, COPY_OF_UNIFORM_PLACE), 0);
    at__str_clear(&source);
    at__str_clear(&plain);
    at__str_clear(&cubin);
}
