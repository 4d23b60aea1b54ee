/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many worlds and images at once, and what they share. */
#include "world.h"

#include <sys/resource.h>

/* ---- many at once ---- */

#define WORLDS 24

/* Worlds take turns, are captured, forked and restored; each must go where its seed alone would have led. */
void test_interleaved(void)
{
  cw_space *s[WORLDS], *again;
  cw_image *im[WORLDS];
  size_t steps[WORLDS] = {0}, kept[WORLDS] = {0};
  uint64_t hash;

  seed_now = rng_state = SEED;
  for (size_t i = 0; i < WORLDS; i++) {
    s[i] = world_fork(cw_image_pristine());
    world_start(SEED + i);
    im[i] = world_capture(s[i]);
  }
  for (int round = 0; round < 1500; round++) {
    size_t i = below(WORLDS), what = below(10), n = below(200);

    if (what == 0) {
      cw_image_unref(im[i]);
      im[i] = world_capture(s[i]);
      kept[i] = steps[i];
    } else if (what == 1) {
      OK(cw_space_restore(s[i], im[i])); /* mounted or not */
      steps[i] = kept[i];
    } else if (what == 2) {
      OK(cw_space_free(s[i]));
      OK(cw_space_new(im[i], &s[i])); /* and is mounted when its turn comes */
      steps[i] = kept[i];
    } else {
      OK(cw_space_mount(s[i]));
      world_steps(n);
      steps[i] += n;
    }
  }
  for (size_t i = 0; i < WORLDS; i++) {
    struct snap snap;

    OK(cw_space_mount(s[i]));
    hash = world_hash();
    snap = snap_take();
    again = world_fork(cw_image_pristine());
    world_start(SEED + i);
    world_steps(steps[i]);
    REQUIRE(world_hash() == hash);
    snap_same(&snap);
    snap_drop(&snap);
    OK(cw_space_free(again));
    OK(cw_space_free(s[i]));
    cw_image_unref(im[i]);
  }
}

/* Forks of forks; then one world is put to all the images in turn, most of which lie on different bases. */
void test_images_of_images(void)
{
  cw_space *s, *next;
  cw_image *im[WORLDS];
  struct snap snap[WORLDS];
  size_t bases = 0;
  uint64_t last = 0;

  s = world_started(SEED, 100);
  for (size_t i = 0; i < WORLDS; i++) {
    world_steps(i % 3 ? 20 : 2000);
    im[i] = world_capture(s);
    snap[i] = snap_take();
    bases += base_of(im[i]) != last;
    last = base_of(im[i]);
    next = world_fork(im[i]);
    OK(cw_space_free(s));
    s = next;
  }
  REQUIRE(bases > 4);
  OK(cw_space_new(im[0], &next));
  for (int round = 0; round < 120; round++) {
    size_t i = below(WORLDS);

    OK(cw_space_mount(round % 3 ? s : next));
    world_steps(below(100));
    OK(cw_space_restore(s, im[i])); /* where it is */
    OK(cw_space_mount(s));
    snap_exact(&snap[i]);
  }
  OK(cw_space_free(s));
  OK(cw_space_free(next));
  for (size_t i = 0; i < WORLDS; i++) {
    snap_of_image(&snap[i], im[i]);
    snap_drop(&snap[i]);
    cw_image_unref(im[i]);
  }
}

/* ---- bases ---- */

void test_rebase_and_share(void)
{
  cw_space *s = world_started(SEED, 3000), *fork1, *fork2;
  cw_image *a, *b, *c;
  struct cw_memory before, after;
  struct snap snap;

  a = world_capture(s);
  world_touch(DATA_PAGES - 1, 1);
  b = world_capture(s); /* most pages rewritten: a base of its own */
  snap = snap_take();
  REQUIRE(base_of(b) != base_of(a) && delta_of(b) == 0);
  snap_of_image(&snap, b);
  snap_drop(&snap);

  world_touch(200, 2);
  c = world_capture(s);
  snap = snap_take();
  REQUIRE(base_of(c) == base_of(b) && delta_of(c) == 200);
  OK(cw_memory(&before));
  fork1 = world_fork(c); /* more than a few pages: shared by forks */
  fork2 = world_fork(c);
  OK(cw_memory(&after));
  REQUIRE(after.bases == before.bases + 1 && base_of(c) != base_of(b));
  snap_exact(&snap);
  world_touch(3, 3);
  OK(cw_space_restore(fork2, c));
  snap_exact(&snap);
  OK(cw_space_mount(fork1));
  snap_exact(&snap);
  OK(cw_space_restore(s, c)); /* on the older base, by its delta */
  OK(cw_space_mount(s));
  snap_exact(&snap);
  snap_drop(&snap);
  OK(cw_space_free(s));
  OK(cw_space_free(fork1));
  OK(cw_space_free(fork2));
  cw_image_unref(a);
  cw_image_unref(b);
  cw_image_unref(c);
}

/* A dropped fork's memory serves the next fork on its base, clean, and is given up with the base. */
void test_spare(void)
{
  static const size_t touched[] = {1, 100, 600, 1};
  cw_space *s = world_started(SEED, 1000), *fork;
  cw_image *im;
  struct snap snap;

  world_touch(DATA_PAGES - 1, 3);
  im = world_capture(s);
  snap = snap_take();
  for (int i = 0; i < 4; i++) {
    fork = world_fork(im);
    REQUIRE(cw_mem.spare == NULL);
    snap_exact(&snap);
    world_touch(touched[i], 4);
    OK(cw_space_free(fork));
    REQUIRE((cw_mem.spare == fork) == (touched[i] < 600));
  }
  fork = world_fork(im); /* where the spare lay */
  world_steps(300);
  OK(cw_space_restore(fork, im));
  snap_exact(&snap);
  OK(cw_space_free(s));
  OK(cw_space_free(fork));
  cw_image_unref(im);
  REQUIRE(cw_mem.spare == NULL);
  snap_drop(&snap);
}

/* A world that goes back to one image twice in a row lies on that image's own base from then on. */
void test_going_back_twice(void)
{
  cw_space *s = world_started(SEED, 1000);
  cw_image *ims[2];
  struct snap snaps[2];

  world_touch(DATA_PAGES - 1, 3);
  cw_image_unref(world_capture(s));
  for (unsigned i = 0; i < 2; i++) {
    world_touch(200, 5 + i);
    ims[i] = world_capture(s);
    snaps[i] = snap_take();
    REQUIRE(delta_of(ims[i]) == 200 && ims[i]->shared == NULL);
  }
  for (unsigned i = 0; i < 6; i++) { /* in turns: the delta will do */
    world_touch(20, 7 + i);
    OK(cw_space_restore(s, ims[i % 2]));
    snap_exact(&snaps[i % 2]);
    REQUIRE(ims[i % 2]->shared == NULL);
  }
  for (unsigned i = 0; i < 3; i++) {
    world_touch(20, 17 + i);
    OK(cw_space_restore(s, ims[1]));
    snap_exact(&snaps[1]);
    REQUIRE(s->base == ims[1]->shared);
  }
  OK(cw_space_free(s));
  for (unsigned i = 0; i < 2; i++) {
    cw_image_unref(ims[i]);
    snap_drop(&snaps[i]);
  }
}

/* Images that are forked once copy their delta; of those forked often, the last few alone keep a base of their own. */
void test_bases_kept_for_few(void)
{
  enum { N = 20, KEPT = 8 };
  cw_space *s = world_started(SEED, 1000), *fork;
  cw_image *ims[N];
  struct snap snaps[N];
  struct cw_memory before, now;

  world_touch(DATA_PAGES - 1, 3);
  cw_image_unref(world_capture(s)); /* a base below all of them */
  for (unsigned i = 0; i < N; i++) {
    world_touch(100, 4);
    ims[i] = world_capture(s);
    snaps[i] = snap_take();
  }
  OK(cw_memory(&before));
  for (unsigned round = 0; round < 4; round++) {
    for (unsigned i = 0; i < N; i++) {
      fork = world_fork(ims[i]);
      snap_exact(&snaps[i]);
      world_touch(20, 5);
      OK(cw_space_restore(fork, ims[i]));
      snap_exact(&snaps[i]);
      OK(cw_space_free(fork));
      OK(cw_memory(&now));
      REQUIRE(now.bases <= before.bases + (round > 0 ? KEPT : 0));
    }
  }
  REQUIRE(now.bases > before.bases);
  OK(cw_space_free(s));
  for (unsigned i = 0; i < N; i++) {
    cw_image_unref(ims[i]);
    snap_drop(&snaps[i]);
  }
  OK(cw_memory(&now));
  REQUIRE(now.delta_pages == 0 && now.images == 1);
}

/* A base of its own needs a descriptor; a fork of an image without one must work all the same. */
void test_fork_without_descriptors(void)
{
  struct rlimit was, none;
  cw_space *s = world_started(SEED, 1000), *fork;
  cw_image *base, *im;
  struct snap snap;

  world_touch(DATA_PAGES - 1, 3);
  base = world_capture(s);
  world_touch(300, 4);
  im = world_capture(s);
  REQUIRE(delta_of(im) == 300);
  snap = snap_take();
  getrlimit(RLIMIT_NOFILE, &was);
  none = (struct rlimit){0, was.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  fork = world_fork(im);
  setrlimit(RLIMIT_NOFILE, &was);
  snap_exact(&snap);
  world_steps(100);
  OK(cw_space_restore(fork, im));
  snap_exact(&snap);
  OK(cw_space_free(fork));
  OK(cw_space_free(s));
  snap_drop(&snap);
  cw_image_unref(base);
  cw_image_unref(im);
}
