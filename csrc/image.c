/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images: what memory a world is and what images share.
 *
 * A world's memory is two address ranges: the engine's writable data and the arena. An image is a base (a
 * memory file with every page) plus a delta (pages that differ from the base). Knows nothing of the engine. */

#define _GNU_SOURCE
#include "image_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define MIB2 ((uintptr_t)2 << 20)

struct cw_memory_state cw_mem CW_HOST_DATA;
const uint8_t cw_zero_page[CW_PAGE];

/* ---- bases ----------------------------------------------------------------------------------------- */

struct base *cw_base_ref(struct base *b)
{
  b->refs++;
  return b;
}

void cw_base_unref(struct base *b)
{
  if (b != NULL && --b->refs == 0) {
    munmap(b->view, cw_mem.pages * CW_PAGE);
    close(b->fd);
    cw_mem.count.bases--;
    cw_mem.count.base_pages -= data_pages() + b->arena_pages;
    free(b);
  }
}

static struct base *base_from_fd(int fd, size_t arena_pages)
{
  struct base *b = calloc(1, sizeof(*b));
  if (b == NULL) {
    return NULL;
  }
  b->view = mmap(NULL, cw_mem.pages * CW_PAGE, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (b->view == MAP_FAILED) {
    free(b);
    return NULL;
  }
  b->refs = 1;
  b->fd = fd;
  b->id = ++cw_mem.next_id;
  b->arena_pages = arena_pages;
  cw_mem.count.bases++;
  cw_mem.count.base_pages += data_pages() + arena_pages;
  return b;
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
  int i;
  if (!page_in(im, page)) {
    return cw_zero_page;
  }
  if (im->shared != NULL) {
    return im->shared->view + (size_t)page * CW_PAGE;
  }
  i = form_find(&im->form, page);
  return i >= 0 ? im->form.bytes + (size_t)i * CW_PAGE : im->form.base->view + (size_t)page * CW_PAGE;
}

/* What a memory file says about itself behind its pages, for the process that receives it. */
struct trailer {
  uint64_t magic, data_pages, arena_pages, live_bytes;
};
#define TRAILER_MAGIC 0x3130656761697763ull

static int write_all(int fd, const struct iovec *iov, int n, off_t at)
{
  size_t want = 0;
  for (int i = 0; i < n; i++) {
    want += iov[i].iov_len;
  }
  return pwritev(fd, iov, n, at) == (ssize_t)want ? 0 : -1;
}

/* Writes runs of neighbouring pages of the image; zero pages stay holes. */
static int write_pages(const struct cw_image *im, int fd)
{
  struct iovec iov[256];
  uint32_t last = (uint32_t)(data_pages() + im->arena_pages), start = 0;
  int n = 0;
  for (uint32_t page = 0; page <= last; page++) {
    const uint8_t *from = page < last && page_in(im, page) ? cw_image_page(im, page) : NULL;
    if (from != NULL && memcmp(from, cw_zero_page, CW_PAGE) == 0) {
      from = NULL;
    }
    if (n > 0 && (from == NULL || n == 256)) {
      if (write_all(fd, iov, n, (off_t)start * CW_PAGE) != 0) {
        return -1;
      }
      n = 0;
    }
    if (from != NULL) {
      start = n == 0 ? page : start;
      iov[n++] = (struct iovec){(void *)(uintptr_t)from, CW_PAGE};
    }
  }
  return 0;
}

struct base *cw_base_of_image(const struct cw_image *im)
{
  struct trailer t = {TRAILER_MAGIC, data_pages(), im->arena_pages, im->live_bytes};
  struct iovec tail[2] = {{&t, sizeof(t)}, {im->used, im->arena_pages}};
  int fd = memfd_create("civworld-image", MFD_CLOEXEC);
  struct base *b = NULL;
  if (fd < 0) {
    return NULL;
  }
  if (ftruncate(fd, (off_t)((cw_mem.pages + 1) * CW_PAGE)) == 0 && write_pages(im, fd) == 0
      && write_all(fd, tail, 2, (off_t)(cw_mem.pages * CW_PAGE)) == 0) {
    b = base_from_fd(fd, im->arena_pages);
  }
  if (b == NULL) {
    close(fd);
  }
  return b;
}

/* The image as a base without delta; NULL when memory is short. */
struct base *cw_image_share(struct cw_image *im)
{
  if (im->form.n == 0) {
    return im->form.base;
  }
  if (im->shared == NULL) {
    im->shared = cw_base_of_image(im);
  }
  return im->shared;
}

/* ---- images ---------------------------------------------------------------------------------------- */

void cw_image_ref(const cw_image *image)
{
  ((struct cw_image *)(uintptr_t)image)->refs++;
}

void cw_image_unref(const cw_image *image)
{
  struct cw_image *im = (struct cw_image *)(uintptr_t)image;
  if (im == NULL || --im->refs > 0) {
    return;
  }
  cw_mem.count.images--;
  cw_mem.count.delta_pages -= im->form.n;
  cw_base_unref(im->form.base);
  cw_base_unref(im->shared);
  free(im->form.index);
  free(im->form.bytes);
  free(im->used);
  free(im);
}

struct cw_image *cw_image_new(struct base *b, size_t delta, size_t arena_pages)
{
  struct cw_image *im = calloc(1, sizeof(*im));
  if (im == NULL) {
    return NULL;
  }
  im->refs = 1;
  im->form.base = b != NULL ? cw_base_ref(b) : NULL;
  im->form.index = malloc((delta + 1) * sizeof(uint32_t));
  im->form.bytes = malloc(delta * CW_PAGE + 1);
  im->used = malloc(arena_pages + 1);
  im->arena_pages = arena_pages;
  cw_mem.count.images++;
  if (im->form.index == NULL || im->form.bytes == NULL || im->used == NULL) {
    cw_image_unref(im);
    return NULL;
  }
  return im;
}

void cw_image_count_used(struct cw_image *im)
{
  im->used_pages = data_pages();
  for (size_t i = 0; i < im->arena_pages; i++) {
    im->used_pages += im->used[i] != 0;
  }
}

const cw_image *cw_image_pristine(void)
{
  return cw_mem.pristine;
}

int cw_image_info(const cw_image *image, struct cw_image_info *out)
{
  const struct base *b = image->shared != NULL ? image->shared : image->form.base;
  out->pages = image->used_pages;
  out->delta_pages = image->form.n;
  out->base_id = b->id;
  out->live_bytes = image->live_bytes;
  return CW_OK;
}

int cw_memory(struct cw_memory *out)
{
  *out = cw_mem.count;
  return CW_OK;
}

/* ---- pages in and out ------------------------------------------------------------------------------ */

/* Walks two images of one base together and passes over pages that neither holds apart. */
struct pair {
  const struct cw_image *a, *b;
  size_t ia, ib;
};

static bool differs(struct pair *p, uint32_t page)
{
  bool related = p->b != NULL && p->a->form.base == p->b->form.base, apart = !related;
  const uint8_t *pa, *pb;
  if (related) {
    const struct form *fa = &p->a->form, *fb = &p->b->form;
    bool in_a = p->ia < fa->n && fa->index[p->ia] == page, in_b = p->ib < fb->n && fb->index[p->ib] == page;
    p->ia += in_a;
    p->ib += in_b;
    apart = in_a || in_b || page_in(p->a, page) != page_in(p->b, page);
  }
  if (!apart) {
    return false;
  }
  pa = cw_image_page(p->a, page);
  pb = p->b != NULL ? cw_image_page(p->b, page) : cw_zero_page;
  return pa != pb && memcmp(pa, pb, CW_PAGE) != 0;
}

int cw_image_diff(const cw_image *image, const cw_image *base, uint32_t *pages, size_t cap, size_t *needed)
{
  size_t a = image->arena_pages, b = base != NULL ? base->arena_pages : 0, n = 0;
  uint32_t last = (uint32_t)(data_pages() + (a > b ? a : b));
  struct pair pair = {image, base, 0, 0};
  for (uint32_t page = 0; page < last; page++) {
    if (differs(&pair, page)) {
      if (n < cap) {
        pages[n] = page;
      }
      n++;
    }
  }
  *needed = n;
  return n <= cap ? CW_OK : CW_REFUSED;
}

int cw_image_read(const cw_image *image, const uint32_t *pages, size_t n, uint8_t *buf)
{
  for (size_t i = 0; i < n; i++) {
    if (pages[i] >= cw_mem.pages) {
      return cw_error(CW_EARGUMENT, "page %u is outside an image (%zu pages)", pages[i], cw_mem.pages);
    }
    memcpy(buf + i * CW_PAGE, cw_image_page(image, pages[i]), CW_PAGE);
  }
  return CW_OK;
}

/* Content and presence of one page of an image under construction. */
static void build_page(struct cw_image *im, uint32_t page, const uint8_t *content)
{
  struct form *f = &im->form;
  f->index[f->n] = page;
  memcpy(f->bytes + f->n * CW_PAGE, content, CW_PAGE);
  f->n++;
}

static size_t build_extent(const cw_image *base, const uint32_t *pages, size_t n)
{
  size_t extent = base->arena_pages;
  if (n > 0 && pages[n - 1] >= data_pages() && pages[n - 1] - data_pages() + 1 > extent) {
    extent = pages[n - 1] - data_pages() + 1;
  }
  return extent;
}

static int build_check(const uint32_t *pages, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    if (pages[i] >= cw_mem.pages || (i > 0 && pages[i] <= pages[i - 1])) {
      return cw_error(CW_ECORRUPT, "page list of an image is not ascending within %zu pages", cw_mem.pages);
    }
  }
  return CW_OK;
}

int cw_image_build(const cw_image *base, const uint32_t *pages, size_t n, const uint8_t *content,
                   const uint32_t *drop, size_t ndrop, cw_image **out)
{
  size_t extent, old = 0, i = 0;
  struct cw_image *im;
  if (build_check(pages, n) != CW_OK || build_check(drop, ndrop) != CW_OK) {
    return CW_ECORRUPT;
  }
  extent = build_extent(base, pages, n);
  im = cw_image_new(base->form.base, base->form.n + n, extent);
  if (im == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for an image");
  }
  memset(im->used, 0, extent);
  memcpy(im->used, base->used, base->arena_pages);
  for (size_t k = 0; k < n; k++) {
    if (pages[k] >= data_pages()) {
      im->used[pages[k] - data_pages()] = 1;
    }
  }
  for (size_t k = 0; k < ndrop; k++) {
    if (drop[k] >= data_pages() && drop[k] - data_pages() < extent) {
      im->used[drop[k] - data_pages()] = 0;
    }
  }
  while (old < base->form.n || i < n) { /* merge the base's delta with the new pages; the new ones win */
    if (i == n || (old < base->form.n && base->form.index[old] < pages[i])) {
      build_page(im, base->form.index[old], base->form.bytes + old * CW_PAGE);
      old++;
    } else {
      old += old < base->form.n && base->form.index[old] == pages[i];
      build_page(im, pages[i], content + i * CW_PAGE);
      i++;
    }
  }
  cw_mem.count.delta_pages += im->form.n;
  im->live_bytes = base->live_bytes;
  cw_image_count_used(im);
  *out = im;
  return CW_OK;
}

int cw_image_fd(const cw_image *image, int *fd)
{
  struct base *b = cw_image_share((struct cw_image *)(uintptr_t)image);
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  *fd = b->fd;
  return CW_OK;
}

int cw_image_from_fd(int fd, cw_image **out)
{
  struct trailer t;
  off_t at = (off_t)(cw_mem.pages * CW_PAGE);
  struct base *b;
  int own;
  if (pread(fd, &t, sizeof(t), at) != (ssize_t)sizeof(t) || t.magic != TRAILER_MAGIC
      || t.data_pages != data_pages() || t.arena_pages > cw_mem.region[1].pages) {
    return cw_error(CW_ECORRUPT, "the descriptor does not hold an image of this build");
  }
  own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  b = own >= 0 ? base_from_fd(own, t.arena_pages) : NULL;
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot map an image: %s", strerror(errno));
  }
  *out = cw_image_new(b, 0, t.arena_pages);
  cw_base_unref(b);
  if (*out == NULL || pread(fd, (*out)->used, t.arena_pages, at + (off_t)sizeof(t)) != (ssize_t)t.arena_pages) {
    cw_image_unref(*out);
    return cw_error(CW_ECORRUPT, "the descriptor does not hold an image of this build");
  }
  (*out)->live_bytes = t.live_bytes;
  cw_image_count_used(*out);
  return CW_OK;
}

/* ---- set-up ---------------------------------------------------------------------------------------- */

static void lay_out(uintptr_t data, size_t data_bytes)
{
  uintptr_t arena = (uintptr_t)CW_ARENA_BASE;
  cw_mem.region[0] = (struct region){data, data_bytes / CW_PAGE, data % MIB2};
  cw_mem.region[1].at = arena;
  cw_mem.region[1].pages = CW_ARENA_SPAN / CW_PAGE;
  cw_mem.region[1].park_offset = (data % MIB2 + data_bytes + MIB2 - 1) / MIB2 * MIB2 + arena % MIB2;
  cw_mem.pages = cw_mem.region[0].pages + cw_mem.region[1].pages;
  cw_mem.stride = (cw_mem.region[1].park_offset + CW_ARENA_SPAN + MIB2 - 1) / MIB2 * MIB2;
}

int cw_image_setup(void *data, size_t data_bytes)
{
  struct cw_image *im;
  void *arena = (void *)(uintptr_t)CW_ARENA_BASE;
  int status;
  lay_out((uintptr_t)data, data_bytes);
  cw_mem.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (cw_mem.pagemap < 0) {
    return cw_error(CW_EADDRESS, "/proc/self/pagemap is needed and cannot be opened: %s", strerror(errno));
  }
  if (mmap(arena, CW_ARENA_SPAN, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != arena) {
    return cw_error(CW_EADDRESS, "the address range %p + %#x of the arena is taken in this process", arena,
                    (unsigned)CW_ARENA_SPAN);
  }
  if (cw_arena_format(CW_ARENA_SPAN) != 0) {
    return cw_error(CW_EADDRESS, "cannot format the arena");
  }
  /* The first image is written from memory that is not mapped from a base yet. */
  {
    struct trailer t = {TRAILER_MAGIC, data_pages(), cw_arena_top() / CW_PAGE, data_bytes};
    size_t npages;
    const uint8_t *map = cw_arena_page_map(&npages);
    struct iovec iov[2] = {{data, data_bytes}, {arena, npages * CW_PAGE}};
    struct iovec tail[2] = {{&t, sizeof(t)}, {(void *)(uintptr_t)map, npages}};
    int fd = memfd_create("civworld-pristine", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, (off_t)((cw_mem.pages + 1) * CW_PAGE)) != 0 || write_all(fd, iov, 2, 0) != 0
        || write_all(fd, tail, 2, (off_t)(cw_mem.pages * CW_PAGE)) != 0) {
      return cw_error(CW_ENOMEMORY, "cannot make a memory file: %s", strerror(errno));
    }
    status = cw_image_from_fd(fd, &im);
    close(fd);
    if (status != CW_OK) {
      return status;
    }
  }
  cw_mem.pristine = im;
  cw_mem.ready = true;
  return cw_space_take_over(im);
}
