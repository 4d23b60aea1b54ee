/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Case-insensitive comparison of UTF-8 names, independent of locale and of any library version. */

#include "config/unicode/ustring.h"

#include <stddef.h>

/* Reads one code point and moves past it; malformed bytes stand for themselves. */
static uint32_t decode(const unsigned char **p)
{
  const unsigned char *s = *p;
  int extra = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
  uint32_t c = extra == 3 ? s[0] & 7u : extra == 2 ? s[0] & 15u : extra == 1 ? s[0] & 31u : s[0];
  for (int i = 1; i <= extra; i++) {
    if ((s[i] & 0xc0) != 0x80) {
      *p = s + 1;
      return s[0];
    }
    c = c << 6 | (s[i] & 63u);
  }
  *p = s + 1 + extra;
  return c;
}

UChar *u_strFromUTF8Lenient(UChar *dest, int32_t cap, int32_t *len, const char *src, int32_t src_len,
                            UErrorCode *err)
{
  const unsigned char *p = (const unsigned char *)src;
  int32_t n = 0;
  (void)src_len;
  while (*p != '\0') {
    uint32_t c = decode(&p);
    int units = c > 0xffff ? 2 : 1;
    if (n + units > cap) {
      *err = U_BUFFER_OVERFLOW_ERROR;
      break;
    }
    if (units == 2) {
      dest[n++] = (UChar)(0xd800 + ((c - 0x10000) >> 10));
      dest[n++] = (UChar)(0xdc00 + ((c - 0x10000) & 0x3ff));
    } else {
      dest[n++] = (UChar)c;
    }
  }
  if (n < cap) {
    dest[n] = 0;
  }
  if (len != NULL) {
    *len = n;
  }
  return dest;
}

UChar *u_strFromUTF8(UChar *dest, int32_t cap, int32_t *len, const char *src, int32_t src_len, UErrorCode *err)
{
  return u_strFromUTF8Lenient(dest, cap, len, src, src_len, err);
}

static int encode(uint32_t c, char out[4])
{
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xc0 | c >> 6);
    out[1] = (char)(0x80 | (c & 63));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = (char)(0xe0 | c >> 12);
    out[1] = (char)(0x80 | (c >> 6 & 63));
    out[2] = (char)(0x80 | (c & 63));
    return 3;
  }
  out[0] = (char)(0xf0 | c >> 18);
  out[1] = (char)(0x80 | (c >> 12 & 63));
  out[2] = (char)(0x80 | (c >> 6 & 63));
  out[3] = (char)(0x80 | (c & 63));
  return 4;
}

char *u_strToUTF8(char *dest, int32_t cap, int32_t *len, const UChar *src, int32_t src_len, UErrorCode *err)
{
  int32_t total = 0, written = 0;
  for (int32_t i = 0; i < src_len; i++) {
    char bytes[4];
    uint32_t c = src[i];
    int n;
    if (c >= 0xd800 && c < 0xdc00 && i + 1 < src_len) {
      c = 0x10000 + ((c - 0xd800) << 10) + (src[++i] - 0xdc00u);
    }
    n = encode(c, bytes);
    if (total == written && total + n <= cap) {
      for (int k = 0; k < n; k++) {
        dest[written++] = bytes[k];
      }
    }
    total += n;
  }
  dest[written] = '\0';
  if (total > cap) {
    *err = U_BUFFER_OVERFLOW_ERROR;
  }
  *len = total;
  return dest;
}

static uint32_t fold(uint32_t c)
{
  if (c < 0x80) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
  }
  if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f)) {
    return c + 32;
  }
  if (c >= 0x400 && c <= 0x40f) {
    return c + 80;
  }
  if ((c >= 0x100 && c <= 0x137) || (c >= 0x14a && c <= 0x177) || (c >= 0x460 && c <= 0x4ff)) {
    return c | 1;
  }
  if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17e)) {
    return c % 2 ? c + 1 : c;
  }
  return c;
}

int32_t u_strCaseCompare(const UChar *a, int32_t alen, const UChar *b, int32_t blen, uint32_t options,
                         UErrorCode *err)
{
  (void)options;
  (void)err;
  for (int32_t i = 0;; i++) {
    uint32_t ca = (alen < 0 || i < alen) ? fold(a[i]) : 0;
    uint32_t cb = (blen < 0 || i < blen) ? fold(b[i]) : 0;
    if (ca != cb) {
      return ca < cb ? -1 : 1;
    }
    if (ca == 0) {
      return 0;
    }
  }
}
