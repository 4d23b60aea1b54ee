/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images: what memory a world is and what images share.
 *
 * A world's memory is two address ranges: the engine's writable data and the arena. An image is a base (a
 * memory file with every page) plus a delta (pages that differ from the base). */

#include "images/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POPULATE 128u
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* ---- room for copies of pages ------------------------------------------------------------------------- */

/* Mapped by itself and not allocated, so that the system has it back the moment the image goes. */
static uint8_t *room_new(size_t pages)
{
  void *at = mmap(NULL, (pages + 1) * CW_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  return at != MAP_FAILED ? at : NULL;
}

static void room_drop(struct form *f)
{
  if (f->bytes != NULL) {
    munmap(f->bytes, (f->copies + 1) * CW_PAGE);
  }
}

/* Gives back what the copies did not need. */
static void room_shrink(struct form *f)
{
  if (munmap(f->bytes + (f->stored + 1) * CW_PAGE, (f->copies - f->stored) * CW_PAGE) == 0) {
    f->copies = f->stored;
  }
}

/* ---- bases of images' own ------------------------------------------------------------------------------ */

/* Bases that were made so that an image can be mapped without copying are kept for these few images, the newest
 * first: each is as large as a world, and lives on without its image as long as a space lies on it. */
#define KEPT 8u
static struct cw_image *keepers[KEPT] CW_HOST_DATA;

static void keeper_leave(const struct cw_image *im)
{
  for (unsigned i = 0; i < KEPT; i++) {
    if (keepers[i] == im) {
      memmove(&keepers[i], &keepers[i + 1], (KEPT - 1 - i) * sizeof(keepers[0]));
      keepers[KEPT - 1] = NULL;
    }
  }
}

static void keeper_enter(struct cw_image *im)
{
  struct cw_image *last;
  keeper_leave(im);
  last = keepers[KEPT - 1];
  memmove(&keepers[1], &keepers[0], (KEPT - 1) * sizeof(keepers[0]));
  keepers[0] = im;
  if (last != NULL) {
    struct base *b = last->shared;
    last->shared = NULL;
    last->mapped = 0;
    last->patience++;
    cw_base_unref(b);
  }
}

/* ---- life ------------------------------------------------------------------------------------------ */

void cw_image_ref(const cw_image *image)
{
  ((struct cw_image *)(uintptr_t)image)->refs++;
}

static void form_drop(struct form *f)
{
  cw_mem.count.delta_pages -= f->stored;
  cw_base_unref(f->base);
  free(f->index);
  free(f->slot);
  room_drop(f);
  *f = (struct form){0};
}

void cw_image_unref(const cw_image *image)
{
  struct cw_image *im = (struct cw_image *)(uintptr_t)image;
  if (im == NULL || --im->refs > 0) {
    return;
  }
  cw_mem.count.images--;
  keeper_leave(im);
  form_drop(&im->form);
  cw_base_unref(im->shared);
  free(im->used);
  free(im);
}

struct cw_image *cw_image_new(struct base *b, const uint8_t *used, size_t arena_pages, size_t room,
                              size_t copies)
{
  struct cw_image *im = calloc(1, sizeof(*im));
  if (im == NULL) {
    return NULL;
  }
  im->refs = 1;
  im->form.base = cw_base_ref(b);
  im->form.copies = copies;
  im->form.index = malloc((room + 1) * sizeof(uint32_t));
  im->form.slot = malloc((room + 1) * sizeof(uint32_t));
  im->form.bytes = room_new(copies);
  im->used = malloc(arena_pages + 1);
  im->arena_pages = arena_pages;
  cw_mem.count.images++;
  if (im->form.index == NULL || im->form.slot == NULL || im->form.bytes == NULL || im->used == NULL) {
    cw_image_unref(im);
    return NULL;
  }
  memcpy(im->used, used, arena_pages);
  return im;
}

/* Faults the next stretch of fresh memory in at once: half the cost of as many single faults. */
static void populate(const struct form *f)
{
  size_t left = f->copies - f->stored, want = left < POPULATE ? left : POPULATE;
  uintptr_t at = (uintptr_t)f->bytes + f->stored * CW_PAGE, end = (at + want * CW_PAGE) & ~(uintptr_t)(CW_PAGE - 1);
  at = (at + CW_PAGE - 1) & ~(uintptr_t)(CW_PAGE - 1);
  if (end > at) {
    madvise((void *)at, end - at, MADV_POPULATE_WRITE); /* an old kernel refuses; then there are single faults */
  }
}

void cw_image_add(struct cw_image *im, uint32_t page, const uint8_t *content)
{
  struct form *f = &im->form;
  if (content != cw_zero_page && f->stored % POPULATE == 0) {
    populate(f);
  }
  f->index[f->n] = page;
  f->slot[f->n++] = content == cw_zero_page ? 0 : (uint32_t)++f->stored;
  if (content != cw_zero_page) {
    memcpy(f->bytes + (f->stored - 1) * CW_PAGE, content, CW_PAGE);
    cw_mem.count.delta_pages++;
  }
}

size_t cw_image_absent(const struct base *b, const uint8_t *used, size_t arena_pages)
{
  size_t n = 0, both = b->arena_pages < arena_pages ? b->arena_pages : arena_pages;
  for (size_t i = 0; i < both; i++) {
    n += (b->used[i] != 0) & (used[i] == 0);
  }
  for (size_t i = both; i < b->arena_pages; i++) {
    n += b->used[i] != 0;
  }
  return n;
}

void cw_image_add_absent(struct cw_image *im, uint32_t *from, uint32_t to)
{
  const struct base *b = im->form.base;
  uint32_t first = (uint32_t)data_pages(), end = first + (uint32_t)b->arena_pages;
  end = to < end ? to : end;
  for (uint32_t page = *from > first ? *from : first; page < end; page++) {
    if (b->used[page - first] != 0 && !cw_image_holds(im, page)) {
      cw_image_add(im, page, cw_zero_page);
    }
  }
  *from = to;
}

void cw_image_finish(struct cw_image *im)
{
  room_shrink(&im->form);
  im->used_pages = data_pages();
  for (size_t i = 0; i < im->arena_pages; i++) {
    im->used_pages += im->used[i] != 0;
  }
}

struct base *cw_image_share(struct cw_image *im)
{
  if (im->form.n == 0) {
    return im->form.base;
  }
  if (im->shared == NULL) {
    im->shared = cw_base_of_image(im);
  }
  if (im->shared != NULL && !im->pinned) {
    keeper_enter(im);
  }
  return im->shared;
}

struct base *cw_image_worth_sharing(struct cw_image *im)
{
  bool worth = im->shared != NULL || ++im->mapped > 1u << (im->patience < 8 ? im->patience : 8);
  return worth ? cw_image_share(im) : NULL;
}

void cw_image_collapse(struct cw_image *im)
{
  if (im->shared != NULL) {
    keeper_leave(im);
    form_drop(&im->form);
    im->form.base = im->shared;
    im->shared = NULL;
  }
}

/* ---- what is there --------------------------------------------------------------------------------- */

const cw_image *cw_image_pristine(void)
{
  return cw_mem.pristine;
}

static int form_find(const struct form *f, uint32_t page)
{
  size_t lo = 0, hi = f->n;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (f->index[mid] < page) {
      lo = mid + 1;
    } else {
      hi = mid;
    }
  }
  return lo < f->n && f->index[lo] == page ? (int)lo : -1;
}

const uint8_t *cw_image_page(const struct cw_image *im, uint32_t page)
{
  int i = form_find(&im->form, page);
  return i >= 0 ? form_content(&im->form, (size_t)i) : base_page(im->form.base, page);
}

static const uint8_t *arena_page(const void *image, size_t page)
{
  return cw_image_page(image, (uint32_t)(data_pages() + page));
}

int cw_image_info(const cw_image *image, struct cw_image_info *out)
{
  const struct base *b = image->shared != NULL ? image->shared : image->form.base;
  out->pages = image->used_pages;
  out->delta_pages = image->form.stored;
  out->base_id = b->id;
  out->live_bytes = cw_arena_live_bytes(arena_page, image) + data_pages() * CW_PAGE;
  return CW_OK;
}

int cw_memory(struct cw_memory *out)
{
  *out = cw_mem.count;
  return CW_OK;
}

int cw_pages_check(const uint32_t *pages, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (pages[i] >= cw_mem.pages || (i > 0 && pages[i] <= pages[i - 1])) {
      return cw_error(CW_ECORRUPT, "page list of an image is not ascending within %zu pages", cw_mem.pages);
    }
  }
  return CW_OK;
}

/* ---- between processes ----------------------------------------------------------------------------- */

int cw_image_fd(const cw_image *image, int *fd)
{
  struct cw_image *im = (struct cw_image *)(uintptr_t)image;
  struct base *b = cw_image_share(im);
  keeper_leave(im);
  im->pinned = true; /* the descriptor is the caller's to use as long as the image lives */
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  *fd = b->fd;
  return CW_OK;
}

int cw_image_of_base(struct base *b, cw_image **out)
{
  struct cw_image *im = cw_image_new(b, b->used, b->arena_pages, 0, 0);
  cw_base_unref(b);
  if (im == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for an image");
  }
  cw_image_finish(im);
  *out = im;
  return CW_OK;
}

int cw_image_from_fd(int fd, cw_image **out)
{
  int own = fcntl(fd, F_DUPFD_CLOEXEC, 0), why;
  struct base *b = own >= 0 ? cw_base_from_fd(own) : NULL;
  if (b != NULL) {
    return cw_image_of_base(b, out);
  }
  why = errno;
  if (own >= 0) {
    close(own);
  }
  if (why == EBADF || why == EBADMSG) {
    return cw_error(CW_ECORRUPT, "the descriptor does not hold an image of this build");
  }
  return cw_error(CW_ENOMEMORY, "cannot map an image: %s", strerror(why));
}
