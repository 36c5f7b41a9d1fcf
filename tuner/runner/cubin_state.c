/* cubin_state.c - see cubin_state.h: variables are in sections whose names begin with ".nv.global". */
#include "runner/cubin_state.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

static const char GLOBALS[] = ".nv.global";

static bool read_section(Elf64_Shdr *out, const char *at, size_t len, const Elf64_Ehdr *head, unsigned i)
{
    const uint64_t from = head->e_shoff + (uint64_t)i * sizeof *out;
    if (i >= head->e_shnum || head->e_shentsize != sizeof *out || from > len || len - from < sizeof *out)
        return false;
    memcpy(out, at + from, sizeof *out);
    return true;
}

static bool is_named(const char *at, size_t len, const Elf64_Shdr *names, const Elf64_Shdr *section)
{
    const uint64_t from = names->sh_offset + section->sh_name;
    return names->sh_offset <= len && from <= len && len - from >= sizeof GLOBALS - 1 &&
           memcmp(at + from, GLOBALS, sizeof GLOBALS - 1) == 0;
}

bool atx_cubin_has_state(const void *cubin, size_t len)
{
    const char *at = cubin;
    Elf64_Ehdr head;
    Elf64_Shdr names, section;
    bool found = false;
    if (len < sizeof head || memcmp(cubin, ELFMAG, SELFMAG) != 0)
        return false;
    memcpy(&head, cubin, sizeof head);
    if (!read_section(&names, at, len, &head, head.e_shstrndx))
        return false;
    for (unsigned i = 0; i < head.e_shnum && !found; i++)
        found = read_section(&section, at, len, &head, i) && section.sh_size > 0 &&
                is_named(at, len, &names, &section);
    return found;
}
