/*
 * placed.h - numbers at any place of a buffer: those of a field, in an array of structs. One text for the
 * host and for the device, like data.h, after which it is included in front of runner/verify.cu.
 */
#ifndef AUTOTUNE_PLACED_H
#define AUTOTUNE_PLACED_H

#ifndef AUTOTUNE_DATA_H
#include "declare/data.h"
#endif

/*
 * Where number i of a buffer lies, in bytes from its beginning. `how` is a number's kind, the distribution of
 * an input or the rule of a check from bit 8 on, and for a field of structs: from bit 16 on how many of its
 * numbers a struct has, from bit 32 on the bytes of a struct, from bit 48 on where in it the field is. 0 from
 * bit 16 on: one number behind the other.
 */
ATX_BOTH atx_u64 atx_number_place(atx_u64 i, atx_u64 how)
{
    const atx_u64 bytes = how & 15, each = how >> 16 & 0xffff;
    return each ? (how >> 48) + i / each * (how >> 32 & 0xffff) + i % each * bytes : i * bytes;
}

ATX_BOTH int atx_how_number(atx_u64 how)
{
    return (int)(how & 255);
}

ATX_BOTH int atx_how_rule(atx_u64 how)
{
    return (int)(how >> 8 & 255);
}

ATX_BOTH atx_u64 atx_bits_placed(const void *from, atx_u64 i, atx_u64 how)
{
    return atx_bits_at((const char *)from + atx_number_place(i, how), 0,
                       atx_number_bytes(atx_how_number(how)));
}

ATX_BOTH void atx_set_placed(void *to, atx_u64 i, atx_u64 how, atx_u64 bits)
{
    atx_set_bits((char *)to + atx_number_place(i, how), 0, atx_number_bytes(atx_how_number(how)), bits);
}

#endif
