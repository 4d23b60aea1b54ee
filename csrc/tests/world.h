/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stand-in for the engine: a block of data and a random program that lives in it and in the arena. */
#ifndef CW_WORLD_H
#define CW_WORLD_H

#include "images/internal.h"
#include "check.h"

#define DATA_PAGES 700u

/* What cw_error() was called with last. */
extern char last_error[300];

#define OK(call) REQUIRE((call) == CW_OK)

/* Sets the image room up around the data block; the number it returns is a status. */
int world_setup(void);
/* A new space of the image, mounted. */
cw_space *world_fork(const cw_image *from);
/* An image of the space, mounted or not. */
cw_image *world_capture(cw_space *s);

/* From cw_image_info(). */
uint64_t base_of(const cw_image *im);
size_t delta_of(const cw_image *im);

/* The program in the mounted world. It checks what it reads, also that calloc() gives zeros. */
void world_start(uint64_t seed);
void world_steps(size_t n);
/* A new world, mounted, that has run for some steps; the seed is also that of rng(). */
cw_space *world_started(uint64_t seed, size_t steps);
/* Everything the program has seen and where. */
uint64_t world_hash(void);
/* Writes a word to each of n data pages. */
void world_touch(size_t n, uint64_t value);
/* Frees every block. */
void world_clear(void);

/* A plain copy of the mounted world's memory, for comparison: shares no code with images. */
struct snap {
  size_t npages;
  uint8_t *used, *bytes;
};
struct snap snap_take(void);
/* Requires the mounted world to have the same pages with the same content. */
void snap_same(const struct snap *snap);
/* And zeros everywhere else: what a restored world looks like. */
void snap_exact(const struct snap *snap);
/* Requires the pages of the image to be those. */
void snap_of_image(const struct snap *snap, const cw_image *im);
void snap_drop(struct snap *snap);

/* What a process holds; all of it must come back. */
struct held {
  struct cw_memory memory;
  size_t maps, fds;
};
struct held held_now(void);
void held_same(const struct held *before);

/* test_image_many.c */
void test_interleaved(void);
void test_images_of_images(void);
void test_rebase_and_share(void);
void test_spare(void);
void test_going_back_twice(void);
void test_bases_kept_for_few(void);
void test_fork_without_descriptors(void);

/* test_image_pages.c */
void test_diff_read_build(void);
void test_build_of_an_older_world(void);
void test_build_refuses(void);
void test_fd_here(void);
void test_fd_elsewhere(void);
void test_fd_refuses(void);
/* The other process: plays on from the image behind the descriptor and prints its hash. */
int elsewhere(int fd, size_t steps);

/* test_image_faults.c */
void test_setup_fails(void);
void test_calls_fail(void);

#endif
