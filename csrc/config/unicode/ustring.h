/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The four Unicode functions the engine needs, without the ICU library: names are compared ignoring case.
 * Folding is one code unit to one code unit for Latin, Greek and Cyrillic, which covers every shipped ruleset. */
#ifndef CW_UNICODE_USTRING_H
#define CW_UNICODE_USTRING_H

#include <stdint.h>

typedef uint16_t UChar;
typedef enum { U_ZERO_ERROR = 0, U_BUFFER_OVERFLOW_ERROR = 15 } UErrorCode;

/* Decodes src (UTF-8, NUL-terminated) into dest; U_BUFFER_OVERFLOW_ERROR when cap units are too few. */
UChar *u_strFromUTF8Lenient(UChar *dest, int32_t cap, int32_t *len, const char *src, int32_t src_len,
                            UErrorCode *err);
/* The same; malformed input is taken as it is. */
UChar *u_strFromUTF8(UChar *dest, int32_t cap, int32_t *len, const char *src, int32_t src_len, UErrorCode *err);
/* Encodes src as UTF-8, whole characters only and terminated within cap + 1 bytes; *len = bytes it would take. */
char *u_strToUTF8(char *dest, int32_t cap, int32_t *len, const UChar *src, int32_t src_len, UErrorCode *err);
/* Order of two strings after case folding; a length of -1 means up to the NUL. */
int32_t u_strCaseCompare(const UChar *a, int32_t alen, const UChar *b, int32_t blen, uint32_t options,
                         UErrorCode *err);

#endif
