/* test_sha256.c - the vectors of FIPS 180-4 and NIST's CAVS, and the ways to feed the hash. */
#include "util/sha256.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *text, *hash;
} VECTORS[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
    { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqr"
      "st"
      "nopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

Test(sha256, the_standards_vectors)
{
    for (size_t i = 0; i < sizeof VECTORS / sizeof *VECTORS; i++) {
        char hash[ATX_HASH_TEXT];
        atx_hash_text(hash, VECTORS[i].text, strlen(VECTORS[i].text));
        cr_assert_str_eq(hash, VECTORS[i].hash);
    }
}

Test(sha256, a_million_times_a)
{
    atx_sha256 h;
    char hash[ATX_HASH_TEXT], block[1000];
    memset(block, 'a', sizeof block);
    atx_sha256_init(&h);
    for (int i = 0; i < 1000; i++)
        atx_sha256_add(&h, block, sizeof block);
    atx_sha256_text(&h, hash);
    cr_assert_str_eq(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Lengths around a block and around the place of the length field, in one piece and byte by byte. */
Test(sha256, pieces_do_not_matter)
{
    unsigned char data[200];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t len = 0; len <= sizeof data; len++) {
        char whole[ATX_HASH_TEXT], bytes[ATX_HASH_TEXT], halves[ATX_HASH_TEXT];
        atx_sha256 h;
        atx_hash_text(whole, data, len);
        atx_sha256_init(&h);
        for (size_t i = 0; i < len; i++)
            atx_sha256_add(&h, data + i, 1);
        atx_sha256_text(&h, bytes);
        atx_sha256_init(&h);
        atx_sha256_add(&h, data, len / 2);
        atx_sha256_add(&h, data + len / 2, len - len / 2);
        atx_sha256_text(&h, halves);
        cr_assert_str_eq(whole, bytes, "%zu", len);
        cr_assert_str_eq(whole, halves, "%zu", len);
    }
}

/* From Python's hashlib: b"\x00" * n. */
Test(sha256, lengths_around_the_padding)
{
    static const struct {
        size_t len;
        const char *hash;
    } CASES[] = {
        { 55, "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7" },
        { 56, "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb" },
        { 63, "c7723fa1e0127975e49e62e753db53924c1bd84b8ac1ac08df78d09270f3d971" },
        { 64, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b" },
        { 65, "98ce42deef51d40269d542f5314bef2c7468d401ad5d85168bfab4c0108f75f7" },
    };
    static const unsigned char zeros[65];
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char hash[ATX_HASH_TEXT];
        atx_hash_text(hash, zeros, CASES[i].len);
        cr_assert_str_eq(hash, CASES[i].hash);
    }
}
