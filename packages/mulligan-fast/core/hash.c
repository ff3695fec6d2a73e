/* BLAKE2s (RFC 7693), keyed, with a digest of six bytes: `Stubs` in stub.py.
 * The key is mixed in once, and each text begins from there. */

#include "core.h"

#include <string.h>

#define DIGEST 6
#define BLOCK 64

static const uint32_t IV[8] = {
    0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au,
    0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u,
};

static const uint8_t SIGMA[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint32_t read_word(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16
           | (uint32_t)bytes[3] << 24;
}

static inline uint32_t rotate(uint32_t word, int by)
{
    return word >> by | word << (32 - by);
}

#define MIX(a, b, c, d, x, y)          \
    do {                               \
        v[a] += v[b] + (x);            \
        v[d] = rotate(v[d] ^ v[a], 16); \
        v[c] += v[d];                  \
        v[b] = rotate(v[b] ^ v[c], 12); \
        v[a] += v[b] + (y);            \
        v[d] = rotate(v[d] ^ v[a], 8);  \
        v[c] += v[d];                  \
        v[b] = rotate(v[b] ^ v[c], 7);  \
    } while (0)

#define ROUND(r)                                             \
    do {                                                     \
        const uint8_t *s = SIGMA[r];                         \
        MIX(0, 4, 8, 12, m[s[0]], m[s[1]]);                  \
        MIX(1, 5, 9, 13, m[s[2]], m[s[3]]);                  \
        MIX(2, 6, 10, 14, m[s[4]], m[s[5]]);                 \
        MIX(3, 7, 11, 15, m[s[6]], m[s[7]]);                 \
        MIX(0, 5, 10, 15, m[s[8]], m[s[9]]);                 \
        MIX(1, 6, 11, 12, m[s[10]], m[s[11]]);               \
        MIX(2, 7, 8, 13, m[s[12]], m[s[13]]);                \
        MIX(3, 4, 9, 14, m[s[14]], m[s[15]]);                \
    } while (0)

static void compress(uint32_t *h, const uint8_t *block, uint32_t so_far, int last)
{
    uint32_t m[16], v[16];
    for (int i = 0; i < 16; i++)
        m[i] = read_word(block + 4 * i);
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[i + 8] = IV[i];
    }
    v[12] ^= so_far;
    if (last)
        v[14] = ~v[14];
    ROUND(0); ROUND(1); ROUND(2); ROUND(3); ROUND(4);
    ROUND(5); ROUND(6); ROUND(7); ROUND(8); ROUND(9);
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[i + 8];
}

void init_hasher(Hasher *hasher, const uint8_t *key, size_t length)
{
    memcpy(hasher->fresh, IV, sizeof IV);
    hasher->fresh[0] ^= 0x01010000u ^ (uint32_t)length << 8 ^ DIGEST;
    memset(hasher->key_block, 0, BLOCK);
    memcpy(hasher->key_block, key, length);
    memcpy(hasher->keyed, hasher->fresh, sizeof hasher->keyed);
    compress(hasher->keyed, hasher->key_block, BLOCK, 0);
}

/* Of at most SHORT characters, so that 32 bits count the bytes. */
void hash_bytes(const Hasher *hasher, const uint8_t *bytes, size_t length, char *hex)
{
    static const char DIGITS[] = "0123456789abcdef";
    uint32_t h[8], so_far = BLOCK;
    if (length == 0) {
        memcpy(h, hasher->fresh, sizeof h);
        compress(h, hasher->key_block, so_far, 1);
    } else {
        uint8_t end[BLOCK] = {0};
        memcpy(h, hasher->keyed, sizeof h);
        for (; length > BLOCK; bytes += BLOCK, length -= BLOCK)
            compress(h, bytes, so_far += BLOCK, 0);
        memcpy(end, bytes, length);
        compress(h, end, so_far + (uint32_t)length, 1);
    }
    for (int i = 0; i < DIGEST; i++) {
        uint8_t byte = (uint8_t)(h[i / 4] >> (8 * (i % 4)));
        hex[2 * i] = DIGITS[byte >> 4];
        hex[2 * i + 1] = DIGITS[byte & 15];
    }
}
