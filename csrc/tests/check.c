/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "check.h"

uint64_t rng_state, seed_now;

uint64_t rng(void)
{
  uint64_t z = (rng_state += 0x9e3779b97f4a7c15u);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

size_t below(size_t n)
{
  return (size_t)(rng() % n);
}

void run_tests(const struct test *tests, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    tests[i].run();
    printf("ok %s\n", tests[i].name);
    fflush(stdout);
  }
}
