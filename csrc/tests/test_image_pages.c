/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images as lists of pages, and as descriptors for another process. */
#include "world.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CAP 20000u

static uint32_t pages[CAP];
static uint8_t content[CAP * (size_t)CW_PAGE];

/* Three images of one life, the third small again. */
static void three(cw_image **im, struct snap *snap, uint64_t seed)
{
  cw_space *s = world_fork(cw_image_pristine());

  seed_now = rng_state = seed;
  world_start(seed);
  for (int i = 0; i < 3; i++) {
    world_steps(1 + below(2000));
    if (i == 2) {
      world_clear();
    }
    im[i] = world_capture(s);
    snap[i] = snap_take();
  }
  OK(cw_space_free(s));
}

static void drop_three(cw_image **im, struct snap *snap)
{
  for (int i = 0; i < 3; i++) {
    cw_image_unref(im[i]);
    snap_drop(&snap[i]);
  }
}

/* What the whole of `from`, or its difference to `base`, makes of `onto`. */
static cw_image *rebuilt(const cw_image *from, const cw_image *base, const cw_image *onto)
{
  size_t n, again;
  cw_image *out;

  OK(cw_image_diff(from, base, pages, CAP, &n));
  REQUIRE(n < 2 || cw_image_diff(from, base, pages, n - 1, &again) == CW_REFUSED);
  REQUIRE(n < 2 || again == n);
  OK(cw_image_read(from, pages, n, content));
  OK(cw_image_build(onto, pages, n, content, NULL, 0, &out));
  REQUIRE(cw_image_diff(out, from, pages, 0, &n) == CW_OK && n == 0);
  return out;
}

/* All of `from`, handed over in pieces. */
static cw_image *assembled(const cw_image *from)
{
  size_t n, k;
  cw_intake *in;
  cw_image *out;

  OK(cw_image_diff(from, NULL, pages, CAP, &n));
  OK(cw_image_begin(pages, n, &in));
  for (size_t done = 0; done < n; done += k) {
    k = 1 + below(700);
    k = k < n - done ? k : n - done;
    OK(cw_image_read(from, pages + done, k, content));
    OK(cw_image_take(in, content, k));
    memset(content, 0x55, k * CW_PAGE);
  }
  REQUIRE(cw_image_take(in, content, 1) == CW_EARGUMENT);
  OK(cw_image_end(in, &out));
  REQUIRE(cw_image_diff(out, from, pages, 0, &n) == CW_OK && n == 0);
  return out;
}

static void require_plays(const cw_image *im, const struct snap *snap)
{
  cw_space *s = world_fork(im);

  snap_of_image(snap, im);
  REQUIRE(memcmp(snap->bytes, (void *)cw_region_at(s, 0), DATA_PAGES * CW_PAGE) == 0);
  world_steps(300);
  OK(cw_space_restore(s, im));
  world_steps(300);
  OK(cw_space_free(s));
}

void test_diff_read_build(void)
{
  for (uint64_t seed = SEED; seed < SEED + 5; seed++) {
    cw_image *im[3], *out, *empty;
    struct snap snap[3];

    three(im, snap, seed);
    for (int i = 0; i < 3; i++) {
      out = rebuilt(im[i], cw_image_pristine(), cw_image_pristine());
      require_plays(out, &snap[i]);
      cw_image_unref(out);
      for (int k = 0; k < 3; k++) {
        out = rebuilt(im[i], im[k], im[k]); /* forwards, backwards and not at all */
        require_plays(out, &snap[i]);
        cw_image_unref(out);
      }
      out = assembled(im[i]);
      require_plays(out, &snap[i]);
      cw_image_unref(out);
      REQUIRE(cw_image_build(im[i], NULL, 0, NULL, NULL, 0, &empty) == CW_OK);
      require_plays(empty, &snap[i]);
      cw_image_unref(empty);
    }
    drop_three(im, snap);
  }
}

/* Differences from nothing, and pages that become absent: where a newer image held something, an older one built
   on it holds nothing, and its world must find zeros there. */
void test_build_of_an_older_world(void)
{
  static uint32_t drop[CAP];
  cw_space *s = world_fork(cw_image_pristine());
  cw_image *old, *newer, *out;
  struct snap snap, later;
  size_t n, ndrop = 0;

  world_start(SEED);
  world_steps(100);
  old = world_capture(s);
  snap = snap_take();
  memset(cw_arena_malloc(5 << 20), 0xee, 5 << 20);
  world_touch(DATA_PAGES - 1, 9);
  newer = world_capture(s);
  later = snap_take();
  for (int delta = 0; delta < 2; delta++) { /* the newer pages lie in its base, and then in its delta */
    ndrop = 0;
    for (uint32_t i = DATA_PAGES; i < later.npages; i++) {
      if (later.used[i] && (i >= snap.npages || !snap.used[i])) {
        drop[ndrop++] = i;
      }
    }
    REQUIRE(ndrop > 1000);
    OK(cw_image_diff(old, NULL, pages, CAP, &n));
    OK(cw_image_read(old, pages, n, content));
    /* everything, as the difference from nothing leaves out zeros that the newer one may have written */
    for (n = 0; n < snap.npages; n++) {
      pages[n] = (uint32_t)n;
    }
    OK(cw_image_read(old, pages, n, content));
    OK(cw_image_build(newer, pages, n, content, drop, ndrop, &out));
    snap_of_image(&snap, out);
    OK(cw_space_restore(s, out));
    OK(cw_space_mount(s));
    snap_of_image(&snap, out);
    REQUIRE(((unsigned char *)cw_arena_calloc(1, 5 << 20))[4 << 20] == 0);
    world_steps(1000);
    cw_image_unref(out);
    out = rebuilt(newer, cw_image_pristine(), cw_image_pristine());
    cw_image_unref(newer);
    newer = out;
  }
  OK(cw_space_free(s));
  cw_image_unref(old);
  cw_image_unref(newer);
  snap_drop(&snap);
  snap_drop(&later);
}

static int try_build(uint32_t a, uint32_t b, bool dropped)
{
  uint32_t list[2] = {a, b};
  cw_image *out = NULL;
  int status = dropped ? cw_image_build(cw_image_pristine(), NULL, 0, NULL, list, 2, &out)
             : cw_image_build(cw_image_pristine(), list, 2, content, NULL, 0, &out);

  REQUIRE((status == CW_OK) == (out != NULL));
  cw_image_unref(out);
  return status;
}

void test_build_refuses(void)
{
  uint32_t end = (uint32_t)cw_mem.pages;
  uint8_t page[CW_PAGE];
  cw_intake *in;
  cw_image *out;

  for (int dropped = 0; dropped < 2; dropped++) {
    OK(try_build(1, 2, dropped));
    OK(try_build(0, end - 1, dropped));
    REQUIRE(try_build(2, 1, dropped) == CW_ECORRUPT);
    REQUIRE(try_build(2, 2, dropped) == CW_ECORRUPT);
    REQUIRE(try_build(2, end, dropped) == CW_ECORRUPT);
    REQUIRE(try_build(UINT32_MAX - 1, UINT32_MAX, dropped) == CW_ECORRUPT);
  }
  REQUIRE(cw_image_begin(&end, 1, &in) == CW_ECORRUPT);
  REQUIRE(cw_image_begin((uint32_t[]){2, 1}, 2, &in) == CW_ECORRUPT);
  OK(cw_image_begin((uint32_t[]){1, 2}, 2, &in));
  OK(cw_image_take(in, content, 1));
  REQUIRE(cw_image_end(in, &out) == CW_EARGUMENT); /* a page is missing */
  OK(cw_image_begin((uint32_t[]){1, 2}, 2, &in));
  OK(cw_image_end(in, NULL));
  REQUIRE(cw_image_read(cw_image_pristine(), &end, 1, page) == CW_EARGUMENT);
  end--;
  OK(cw_image_read(cw_image_pristine(), &end, 1, page));
}

/* ---- descriptors ---- */

void test_fd_here(void)
{
  cw_image *im[3], *got;
  struct snap snap[3];
  int fd;

  three(im, snap, SEED);
  for (int i = 0; i < 3; i++) {
    OK(cw_image_fd(im[i], &fd));
    OK(cw_image_from_fd(fd, &got));
    cw_image_unref(im[i]); /* the other stays */
    im[i] = got;
    require_plays(got, &snap[i]);
  }
  drop_three(im, snap);
}

int elsewhere(int fd, size_t steps)
{
  cw_image *im;
  cw_space *s;

  OK(world_setup());
  OK(cw_image_from_fd(fd, &im));
  s = world_fork(im);
  world_steps(steps);
  printf("%016" PRIx64 "\n", world_hash());
  OK(cw_space_free(s));
  cw_image_unref(im);
  return 0;
}

static uint64_t hash_elsewhere(const cw_image *im, size_t steps)
{
  char command[200];
  int fd;
  FILE *f;
  uint64_t hash;

  OK(cw_image_fd(im, &fd));
  fd = dup(fd); /* without close-on-exec */
  snprintf(command, sizeof command, "exec /proc/%d/exe %d %zu", (int)getpid(), fd, steps);
  f = popen(command, "r");
  REQUIRE(f != NULL && fscanf(f, "%" SCNx64, &hash) == 1 && pclose(f) == 0);
  close(fd);
  return hash;
}

void test_fd_elsewhere(void)
{
  for (uint64_t seed = SEED; seed < SEED + 4; seed++) {
    cw_image *im[3];
    struct snap snap[3];

    three(im, snap, seed);
    for (int i = 0; i < 3; i++) {
      cw_space *s = world_fork(im[i]);

      world_steps(1500);
      REQUIRE(hash_elsewhere(im[i], 1500) == world_hash());
      OK(cw_space_free(s));
    }
    drop_three(im, snap);
  }
}

void test_fd_refuses(void)
{
  int ends[2], empty = memfd_create("empty", MFD_CLOEXEC), wrong = memfd_create("wrong", MFD_CLOEXEC), fd;
  struct held before = held_now();
  cw_image *got = NULL;
  uint64_t head[3];
  off_t at = (off_t)(cw_mem.pages * CW_PAGE);

  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  REQUIRE(cw_image_from_fd(-1, &got) == CW_ECORRUPT);
  REQUIRE(cw_image_from_fd(ends[0], &got) == CW_ECORRUPT);
  REQUIRE(cw_image_from_fd(empty, &got) == CW_ECORRUPT);
  OK(cw_image_fd(cw_image_pristine(), &fd));
  REQUIRE(pread(fd, head, sizeof head, at) == sizeof head);
  for (size_t i = 0; i < 3; i++) {
    head[i] += 1u << 20;
    REQUIRE(pwrite(wrong, head, sizeof head, at) == sizeof head);
    REQUIRE(cw_image_from_fd(wrong, &got) == CW_ECORRUPT);
    head[i] -= 1u << 20;
  }
  REQUIRE(pwrite(wrong, head, sizeof head, at) == sizeof head); /* and nothing behind it */
  REQUIRE(cw_image_from_fd(wrong, &got) == CW_ECORRUPT && got == NULL);
  close(ends[0]);
  close(ends[1]);
  held_same(&before);
  close(empty);
  close(wrong);
}
