/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spaces: one world's private mapping of a base, and how one world is put in place of another.
 *
 * The kernel copies a page when it is first written, so the page map tells which pages a space has changed.
 * Mounting moves page tables, not bytes. What can fail is done aside, and put in place by moves that can be
 * taken back: a failure leaves the space, and what is mounted, as they were. */

#include "images/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A delta of more pages than this is given a base of its own before a space is made from it: copying a page
 * into a fresh mapping costs a page fault (microseconds), sharing it costs nothing. */
#define SHARE_ABOVE 64u
/* Bases a space is put on in its life, each after twice the work of the one before, until the work stays the same. */
#define REBASES 2u
/* How many private pages found unchanged are worth giving up all private pages for. */
#define SAME_ABOVE 256u
/* A dropped space with at most this many private pages is worth cleaning for the next one on its base. */
#define SPARE_BELOW 128u

/* ---- addresses ------------------------------------------------------------------------------------- */

static uint8_t *page_at(const struct cw_space *s, uint32_t page)
{
  int r = page >= data_pages();
  return (uint8_t *)cw_region_at(s, r) + (size_t)(page - (r ? data_pages() : 0)) * CW_PAGE;
}

/* How far the space's arena may differ from its base; the arena's own mark counts what was used and freed since. */
static size_t touched(const struct cw_space *s)
{
  size_t high = s == cw_mem.live[1] ? cw_arena_high() / CW_PAGE : 0;
  return high > s->reach ? high : s->reach;
}

/* ---- mapping --------------------------------------------------------------------------------------- */

/* Maps the base at the space's parking place, where nothing lies. */
static int map_base(struct cw_space *s, struct base *b)
{
  for (int r = 0; r < 2; r++) {
    void *at = (void *)cw_park_at(s, r);
    off_t offset = (off_t)(r == 0 ? 0 : data_pages() * CW_PAGE);
    if (mmap(at, cw_mem.region[r].pages * CW_PAGE, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED_NOREPLACE | MAP_NORESERVE, b->fd, offset) != at) {
      int why = errno;
      if (r == 1 && munmap((void *)cw_park_at(s, 0), cw_mem.region[0].pages * CW_PAGE) != 0) {
        s->slot = cw_mem.nslots++; /* something still lies there */
      }
      return cw_error(CW_ENOMEMORY, "cannot map a world: %s", strerror(why));
    }
  }
  s->base = cw_base_ref(b);
  s->reach = b->arena_pages;
  return CW_OK;
}

/* Brings a page to a content; tells whether it was another. */
static bool write_page(const struct cw_space *s, uint32_t page, const uint8_t *content)
{
  uint8_t *to = page_at(s, page);
  if (memcmp(to, content, CW_PAGE) == 0) {
    return false;
  }
  memcpy(to, content, CW_PAGE);
  return true;
}

static void write_delta(const struct cw_space *s, const struct form *f)
{
  for (size_t i = 0; i < f->n; i++) {
    write_page(s, f->index[i], form_content(f, i));
  }
}

/* Lets the space have the spare's memory, if that lies on the base; tells whether it does. */
static bool adopt_spare(struct cw_space *s, struct base *b)
{
  struct cw_space *spare = cw_mem.spare;
  if (spare == NULL || spare->base != b) {
    return false;
  }
  cw_mem.spare = NULL;
  cw_mem.free_slot[cw_mem.nfree++] = s->slot;
  s->slot = spare->slot;
  s->base = spare->base;
  s->reach = spare->reach;
  free(spare);
  return true;
}

/* Keeps a parked space that hardly differs from its base for the next space on it: its page tables are there
 * already. One is kept, and never as the last user of its base. Tells whether it was. */
static bool keep_spare(struct cw_space *s)
{
  const uint32_t *pages;
  size_t n;
  if (s->base == NULL || s->base->refs == 1 || cw_private_pages(s, s->reach, &pages, &n) != CW_OK || n > SPARE_BELOW) {
    return false;
  }
  for (size_t k = 0; k < n; k++) {
    write_page(s, pages[k], base_page(s->base, pages[k]));
  }
  cw_spare_drop();
  cw_mem.spare = s;
  return true;
}

/* Maps a space that is not mapped yet from the image it starts as. */
static int map_origin(struct cw_space *s)
{
  struct cw_image *im = s->origin;
  const struct form *f = &im->form;
  /* Without memory or descriptors for a base of its own, copying will do. */
  struct base *shared = f->n > SHARE_ABOVE ? cw_image_worth_sharing(im) : NULL;
  struct base *b = shared != NULL ? shared : f->base;
  if (!adopt_spare(s, b)) {
    int status = map_base(s, b);
    if (status != CW_OK) {
      return status;
    }
  }
  for (size_t i = 0; shared == NULL && i < f->n; i++) { /* they do differ: looking first would cost a fault more */
    memcpy(page_at(s, f->index[i]), form_content(f, i), CW_PAGE);
  }
  s->reach = im->arena_pages > s->reach ? im->arena_pages : s->reach;
  s->origin = NULL;
  cw_image_unref(im);
  return CW_OK;
}

/* ---- mounting -------------------------------------------------------------------------------------- */

static int move_region(struct cw_space *s, int r, bool in)
{
  uintptr_t from = in ? cw_park_at(s, r) : cw_mem.region[r].at, to = in ? cw_mem.region[r].at : cw_park_at(s, r);
  size_t bytes = cw_mem.region[r].pages * CW_PAGE;
  if (mremap((void *)from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)to) != (void *)to) {
    return cw_error(CW_EADDRESS, "cannot move a world's memory: %s", strerror(errno));
  }
  cw_mem.live[r] = in ? s : NULL;
  return CW_OK;
}

/* Moves the space in and what lies there out; when it fails, the rest of either stays where it is. */
static int move_in(struct cw_space *s)
{
  cw_mem.mounted = NULL;
  for (int r = 0; r < 2; r++) {
    struct cw_space *there = cw_mem.live[r];
    int status = CW_OK;
    if (there != s && there != NULL) {
      there->reach = touched(there);
      status = move_region(there, r, false);
    }
    if (there != s && status == CW_OK) {
      status = move_region(s, r, true);
    }
    if (status != CW_OK) {
      return status;
    }
  }
  cw_mem.mounted = s;
  return CW_OK;
}

/* Ends the space; it may live on as the spare. */
static void space_drop(struct cw_space *s)
{
  bool parked = s != cw_mem.live[0] && s != cw_mem.live[1];
  cw_mem.count.spaces--;
  cw_image_unref(s->origin);
  s->origin = NULL;
  if (!parked || !keep_spare(s)) {
    cw_place_leave(s);
    cw_base_unref(s->base);
    free(s);
  }
}

int cw_space_mount(cw_space *s)
{
  struct cw_space *before = cw_mem.mounted;
  int status = CW_OK;
  if (s == before) {
    return CW_OK;
  }
  if (s->base == NULL) {
    status = map_origin(s);
  }
  if (status == CW_OK) {
    status = move_in(s);
    if (status != CW_OK && before != NULL) {
      move_in(before);
    }
  }
  if (status == CW_OK && cw_mem.stuck != NULL) {
    space_drop(cw_mem.stuck);
    cw_mem.stuck = NULL;
  }
  return status;
}

bool cw_space_is_mounted(void)
{
  return cw_mem.mounted != NULL && cw_mem.mounted != cw_mem.ground;
}

/* ---- life ------------------------------------------------------------------------------------------ */

static int space_new(const cw_image *from, uint32_t slots, cw_space **out)
{
  struct cw_space *s = calloc(1, sizeof(*s));
  if (s == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for a world");
  }
  if (cw_mem.count.spaces >= slots) {
    free(s);
    return cw_error(CW_ENOMEMORY, "%u worlds are alive in this process, the most there may be", MAX_SLOTS);
  }
  s->slot = cw_mem.nfree > 0 ? cw_mem.free_slot[--cw_mem.nfree] : cw_mem.nslots++;
  cw_image_ref(from);
  s->origin = (struct cw_image *)(uintptr_t)from;
  cw_mem.count.spaces++;
  *out = s;
  return CW_OK;
}

int cw_space_new(const cw_image *from, cw_space **out)
{
  return space_new(from, MAX_SLOTS, out);
}

int cw_space_free(cw_space *s)
{
  /* Something must always lie under the engine's code: the process's own exit handlers touch its data. */
  if (s == cw_mem.live[0] || s == cw_mem.live[1]) {
    int status = cw_space_mount(cw_mem.ground);
    if (status != CW_OK) {
      return status;
    }
  }
  space_drop(s);
  return CW_OK;
}

int cw_space_take_over(const cw_image *pristine)
{
  struct cw_space *s;
  int status = cw_space_new(pristine, &s);
  if (status != CW_OK) {
    return status;
  }
  /* Moving in replaces the ordinary memory; there is no moment without data under the code. */
  status = map_origin(s);
  if (status == CW_OK) {
    status = move_in(s);
  }
  if (status == CW_OK) {
    cw_mem.ground = s;
  } else {
    space_drop(s);
    cw_mem.live[0] = cw_mem.live[1] = NULL;
  }
  return status;
}

/* ---- restoring ------------------------------------------------------------------------------------- */

/* Undoes the private pages that the delta does not name. Comparing a page costs a quarter of the fault that writing
 * it again would cost, so pages stay private; but not when most have not been written since the last time. */
static void undo_pages(const struct cw_space *s, const struct form *f, const uint32_t *pages, size_t n)
{
  size_t same = 0, i = 0;
  for (size_t k = 0; k < n; k++) {
    while (i < f->n && f->index[i] < pages[k]) {
      i++;
    }
    if (i == f->n || f->index[i] != pages[k]) {
      same += !write_page(s, pages[k], base_page(s->base, pages[k]));
    }
  }
  if (same > SAME_ABOVE && same > (n - same + f->n) * 2) {
    madvise((void *)cw_region_at(s, 0), data_pages() * CW_PAGE, MADV_DONTNEED);
    madvise((void *)cw_region_at(s, 1), cw_mem.region[1].pages * CW_PAGE, MADV_DONTNEED);
  }
}

/* Goes back to an image of the base that the space lies on. */
static int undo(struct cw_space *s, const struct cw_image *im)
{
  static const struct form none;
  const struct form *f = s->base == im->form.base ? &im->form : &none;
  size_t reach = touched(s), n;
  const uint32_t *pages;
  int status;
  reach = im->arena_pages > reach ? im->arena_pages : reach;
  status = cw_private_pages(s, reach, &pages, &n);
  if (status == CW_OK) {
    s->reach = reach;
    s->handled += n;
    undo_pages(s, f, pages, n);
    write_delta(s, f);
  }
  return status;
}

/* Maps the image aside and lets the space have that memory instead of its own. */
static int replace(struct cw_space *s, const cw_image *im)
{
  bool live = s == cw_mem.live[0] || s == cw_mem.live[1];
  struct cw_space *aside, was;
  int status = space_new(im, MAX_SLOTS + 1, &aside);
  if (status != CW_OK) {
    return status;
  }
  status = live ? cw_space_mount(aside) : map_origin(aside);
  if (status == CW_OK) {
    was = *s;
    *s = *aside;
    *aside = was;
    if (live) {
      cw_mem.live[0] = cw_mem.live[1] = cw_mem.mounted = s;
    }
  }
  if (cw_space_free(aside) != CW_OK) { /* it was moved in by half and cannot be moved out */
    cw_mem.stuck = aside;
  }
  return status;
}

/* A world that goes back to one image time and again is put on that image's own base: then only what was written
 * since has to be looked at. */
int cw_space_restore(cw_space *s, const cw_image *image)
{
  struct cw_image *im = (struct cw_image *)(uintptr_t)image;
  bool again;
  if (s->base == NULL) { /* never mapped: start from the other image instead */
    cw_image_ref(im);
    cw_image_unref(s->origin);
    s->origin = im;
    return CW_OK;
  }
  again = s->went_back_to == im; /* only compared: the image may be gone */
  s->went_back_to = im;
  if (s->base == im->form.base && im->form.n > SHARE_ABOVE && again && cw_image_share(im) != NULL
      && replace(s, im) == CW_OK) {
    return CW_OK;
  }
  if ((s->base == im->form.base || s->base == im->shared) && undo(s, im) == CW_OK) {
    return CW_OK;
  }
  return replace(s, im);
}

/* ---- capturing ------------------------------------------------------------------------------------- */

/* Adds the private pages that differ from the base and what has become absent. */
static void gather(struct cw_image *im, const struct cw_space *s, const uint32_t *pages, size_t n)
{
  uint32_t done = 0;
  for (size_t k = 0; k < n; k++) {
    const uint8_t *now = page_at(s, pages[k]);
    cw_image_add_absent(im, &done, pages[k]);
    if (cw_image_holds(im, pages[k])) {
      done = pages[k] + 1;
      if (memcmp(now, base_page(s->base, pages[k]), CW_PAGE) != 0) {
        cw_image_add(im, pages[k], now);
      }
    }
  }
  cw_image_add_absent(im, &done, UINT32_MAX);
}

/* Puts the space on the image's own base once most of it has been rewritten, or once captures and restores have
 * handled as many pages as a base costs to make: later ones then handle only what was written since. A turn writes some
 * pages anyway, so the next base must pay for itself longer. Nothing is lost when that fails. */
static void rebase(struct cw_space *s, struct cw_image *im)
{
  unsigned before = s->rebases;
  bool most = im->form.n * 2 >= im->used_pages, dear = s->handled >> before >= im->used_pages;
  if ((most || dear) && cw_image_share(im) != NULL) {
    cw_image_collapse(im);
    if (replace(s, im) == CW_OK) {
      s->rebases = before + (before < REBASES);
    }
  }
}

int cw_space_capture(cw_space *s, cw_image **out)
{
  struct cw_image *im;
  const uint32_t *pages;
  const uint8_t *map;
  size_t npages, n;
  int status;
  if (s->base == NULL) {
    cw_image_ref(s->origin);
    *out = s->origin;
    return CW_OK;
  }
  status = cw_space_mount(s);
  if (status != CW_OK) {
    return status;
  }
  map = cw_arena_page_map(&npages);
  status = cw_private_pages(s, npages, &pages, &n);
  if (status != CW_OK) {
    return status;
  }
  im = cw_image_new(s->base, map, npages, n + cw_image_absent(s->base, map, npages), n);
  if (im == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for an image");
  }
  gather(im, s, pages, n);
  cw_image_finish(im);
  s->handled += n;
  rebase(s, im);
  *out = im;
  return CW_OK;
}
