/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of the system and of the allocator that fail on demand. */
#ifndef CW_FAULTS_H
#define CW_FAULTS_H

#include <stdbool.h>

/* Which call is to fail: the nth after storm(), and with `all` those behind it too. */
extern struct fault_plan {
  long nth;
  bool all;
} plan;

/* Calls between storm() and calm(), and how many of them failed. */
extern long calls_made, calls_failed;

void storm(void);
void calm(void);

#endif
