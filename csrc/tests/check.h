/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every C test uses: seeded random numbers, and a check that names the seed when it fails. */
#ifndef CW_CHECK_H
#define CW_CHECK_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED 20240607u

extern uint64_t rng_state, seed_now;

#define REQUIRE(cond)                                                                                                  \
  do {                                                                                                                 \
    if (!(cond)) {                                                                                                     \
      fprintf(stderr, "%s:%d: seed %" PRIu64 ": not true: %s\n", __FILE__, __LINE__, seed_now, #cond);                 \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

uint64_t rng(void);

/* A random number below n. */
size_t below(size_t n);

struct test {
  const char *name;
  void (*run)(void);
};

/* Runs the tests in order and prints "ok <name>" after each. */
void run_tests(const struct test *tests, size_t n);

#endif
