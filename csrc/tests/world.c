/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world.h"

#include <dirent.h>
#include <stdarg.h>
#include <string.h>

#define SLOTS 64u
#define ARENA ((uint8_t *)CW_ARENA_BASE)

struct node {
  struct node *next;
  uint32_t size, tag;
  uint8_t fill[];
};

/* The engine's data: everything the program keeps between its steps. */
static union {
  struct {
    uint64_t random, hash;
    size_t count, target;
    struct node *slot[SLOTS];
  } w;
  uint8_t page[DATA_PAGES][CW_PAGE];
} data __attribute__((aligned(4096)));
#define W (&data.w)

char last_error[300];

int cw_error(int status, const char *format, ...)
{
  va_list args;

  va_start(args, format);
  vsnprintf(last_error, sizeof last_error, format, args);
  va_end(args);
  return status;
}

void cw_arena_bad_free(const void *p)
{
  fprintf(stderr, "seed %" PRIu64 ": bad free of %p\n", seed_now, p);
  exit(1);
}

int world_setup(void)
{
  return cw_image_setup(&data, sizeof data);
}

cw_space *world_fork(const cw_image *from)
{
  cw_space *s;

  OK(cw_space_new(from, &s));
  OK(cw_space_mount(s));
  return s;
}

cw_image *world_capture(cw_space *s)
{
  cw_image *im;

  OK(cw_space_capture(s, &im));
  return im;
}

uint64_t base_of(const cw_image *im)
{
  struct cw_image_info info;

  OK(cw_image_info(im, &info));
  return info.base_id;
}

size_t delta_of(const cw_image *im)
{
  struct cw_image_info info;

  OK(cw_image_info(im, &info));
  return info.delta_pages;
}

/* ---- the program ---- */

static size_t roll(size_t n)
{
  uint64_t kept = rng_state, x;

  rng_state = W->random; /* the same generator, with the world's own state */
  x = rng() % n;
  W->random = rng_state;
  rng_state = kept;
  return (size_t)x;
}

static void see(uint64_t x)
{
  W->hash = (W->hash ^ x) * 1099511628211u;
}

static void require_fill(const uint8_t *p, size_t n, uint32_t tag)
{
  REQUIRE(n == 0 || (p[0] == (uint8_t)tag && memcmp(p, p + 1, n - 1) == 0));
}

static void node_add(struct node **at)
{
  size_t kind = roll(1000), size = kind < 700 ? roll(64) : kind < 970 ? roll(3000) : roll(120000);
  struct node *n = cw_arena_calloc(1, sizeof *n + size);

  REQUIRE(n != NULL);
  require_fill(n->fill, size, 0);
  n->next = *at;
  n->size = (uint32_t)size;
  n->tag = (uint32_t)roll(256);
  memset(n->fill, (int)n->tag, size);
  *at = n;
  W->count++;
  see((uintptr_t)n);
}

static void node_free(struct node **at)
{
  struct node *n = *at;

  if (n != NULL) {
    require_fill(n->fill, n->size, n->tag);
    *at = n->next;
    cw_arena_free(n);
    W->count--;
  }
}

static void node_resize(struct node **at)
{
  size_t size = roll(8000);
  struct node *n = *at;

  if (n != NULL) {
    n = cw_arena_realloc(n, sizeof *n + size);
    REQUIRE(n != NULL);
    require_fill(n->fill, n->size < size ? n->size : size, n->tag);
    n->size = (uint32_t)size;
    memset(n->fill, (int)n->tag, size);
    *at = n;
    see((uintptr_t)n);
  }
}

static void walk(const struct node *n)
{
  for (; n != NULL; n = n->next) {
    see(n->tag + ((uint64_t)n->size << 8));
    require_fill(n->fill, n->size, n->tag);
  }
}

static void step(void)
{
  size_t what = roll(100);
  struct node **at = &W->slot[roll(SLOTS)];

  if (roll(400) == 0) {
    W->target = roll(2) ? 1500 : 60; /* worlds grow and shrink */
  }
  if (what < 40) {
    (W->count < W->target ? node_add : node_free)(at);
  } else if (what < 75) {
    (W->count < W->target ? node_add : node_free)(at);
    node_free(&W->slot[roll(SLOTS)]);
  } else if (what < 80) {
    node_resize(at);
  } else if (what < 95) {
    uint8_t *p = &data.page[1 + roll(DATA_PAGES - 1)][roll(CW_PAGE)];
    see(*p);
    (*p)++;
  } else {
    walk(*at);
  }
}

void world_start(uint64_t seed)
{
  W->random = seed;
  W->hash = 14695981039346656037u;
  W->target = 800;
}

void world_steps(size_t n)
{
  while (n-- > 0) {
    step();
  }
}

uint64_t world_hash(void)
{
  for (size_t i = 0; i < SLOTS; i++) {
    walk(W->slot[i]);
  }
  return W->hash;
}

void world_touch(size_t n, uint64_t value)
{
  REQUIRE(n < DATA_PAGES);
  for (size_t i = 0; i < n; i++) {
    memcpy(data.page[1 + i] + 8, &value, sizeof value);
  }
}

void world_clear(void)
{
  for (size_t i = 0; i < SLOTS; i++) {
    while (W->slot[i] != NULL) {
      node_free(&W->slot[i]);
    }
  }
}

cw_space *world_started(uint64_t seed, size_t steps)
{
  cw_space *s = world_fork(cw_image_pristine());

  seed_now = rng_state = seed;
  world_start(seed);
  world_steps(steps);
  return s;
}

/* ---- plain copies ---- */

static const uint8_t *page_at(size_t i)
{
  return i < DATA_PAGES ? data.page[i] : ARENA + (i - DATA_PAGES) * CW_PAGE;
}

struct snap snap_take(void)
{
  struct snap snap;
  size_t arena_pages;
  const uint8_t *map = cw_arena_page_map(&arena_pages);

  snap.npages = DATA_PAGES + arena_pages;
  snap.used = malloc(snap.npages);
  snap.bytes = calloc(snap.npages, CW_PAGE);
  REQUIRE(snap.used != NULL && snap.bytes != NULL);
  for (size_t i = 0; i < snap.npages; i++) {
    snap.used[i] = i < DATA_PAGES || map[i - DATA_PAGES] != 0;
    if (snap.used[i]) {
      memcpy(snap.bytes + i * CW_PAGE, page_at(i), CW_PAGE);
    }
  }
  return snap;
}

void snap_same(const struct snap *snap)
{
  size_t arena_pages;
  const uint8_t *map = cw_arena_page_map(&arena_pages);

  REQUIRE(snap->npages == DATA_PAGES + arena_pages);
  for (size_t i = 0; i < snap->npages; i++) {
    REQUIRE(snap->used[i] == (i < DATA_PAGES || map[i - DATA_PAGES] != 0));
    REQUIRE(!snap->used[i] || memcmp(snap->bytes + i * CW_PAGE, page_at(i), CW_PAGE) == 0);
  }
}

void snap_exact(const struct snap *snap)
{
  static const uint8_t zeros[CW_PAGE];
  size_t far = snap->npages + 2500; /* farther than the program gets */

  snap_same(snap);
  for (size_t i = 0; i < far; i++) {
    REQUIRE((i < snap->npages && snap->used[i]) || memcmp(page_at(i), zeros, CW_PAGE) == 0);
  }
}

void snap_of_image(const struct snap *snap, const cw_image *im)
{
  uint8_t page[CW_PAGE];

  for (uint32_t i = 0; i < snap->npages; i++) {
    OK(cw_image_read(im, &i, 1, page));
    REQUIRE(memcmp(snap->bytes + (size_t)i * CW_PAGE, page, CW_PAGE) == 0); /* zeros where not used */
  }
}

void snap_drop(struct snap *snap)
{
  free(snap->used);
  free(snap->bytes);
}

/* ---- what the process holds ---- */

static size_t lines_of(const char *path, const char *with)
{
  FILE *f = fopen(path, "r");
  char line[1000];
  size_t n = 0;

  REQUIRE(f != NULL);
  while (fgets(line, sizeof line, f) != NULL) {
    n += strstr(line, with) != NULL;
  }
  fclose(f);
  return n;
}

static size_t entries_of(const char *path)
{
  DIR *dir = opendir(path);
  size_t n = 0;

  REQUIRE(dir != NULL);
  while (readdir(dir) != NULL) {
    n++;
  }
  closedir(dir);
  return n;
}

struct held held_now(void)
{
  struct held held = {.fds = entries_of("/proc/self/fd"), .maps = lines_of("/proc/self/maps", "memfd:")};

  OK(cw_memory(&held.memory));
  return held;
}

void held_same(const struct held *before)
{
  struct held now = held_now();

  REQUIRE(now.memory.spaces == before->memory.spaces && now.memory.images == before->memory.images);
  REQUIRE(now.memory.bases == before->memory.bases && now.memory.base_pages == before->memory.base_pages);
  REQUIRE(now.memory.delta_pages == before->memory.delta_pages);
  REQUIRE(now.maps == before->maps && now.fds == before->fds);
}
