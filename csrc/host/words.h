/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names that numbers stand for: the room that counts something names it, once, and Python reads the list. */
#ifndef CW_WORDS_H
#define CW_WORDS_H

#include <stddef.h>

struct cw_words {
  const char *list;
  const char *(*word)(int number); /* NULL beyond the list */
};

/* Rows W(NUMBER, "name") make both an enum, `enum e {ROWS(CW_WORD_NUMBER)}`, and the list of its names. */
#define CW_WORD_NUMBER(number, name) number,
#define CW_WORD_NAME(number, name) [number] = name,

/* Defines cw_words_<list> from such rows. */
#define CW_WORDS(list, ROWS)                                                                       \
  static const char *list##_word(int number)                                                       \
  {                                                                                                \
    static const char *const names[] = {ROWS(CW_WORD_NAME)};                                       \
    return number >= 0 && number < (int)(sizeof(names) / sizeof(names[0])) ? names[number] : NULL; \
  }                                                                                                \
  const struct cw_words cw_words_##list = {#list, list##_word};

/* Every list. */
#define CW_WORD_LISTS(L)                                                         \
  L(behaviours) L(traits) L(directions) L(diplomatic_states) L(clauses)          \
  L(stages) L(results) L(orders) L(rules) L(stances) L(topics) L(items)

#define CW_EXTERN_WORDS(list) extern const struct cw_words cw_words_##list;
CW_WORD_LISTS(CW_EXTERN_WORDS)
#undef CW_EXTERN_WORDS

#endif
