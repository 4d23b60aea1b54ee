/* SPDX-License-Identifier: GPL-2.0-or-later */
/* World images: what memory a world is, how one world is put in place of another, what an image shares.
 *
 * A world's memory is two address ranges: the engine's writable data and the arena. An image is a base (a
 * memory file with every page) plus a delta (pages that differ from the base). A space is one world's private
 * mapping of a base: the kernel copies a page when it is first written, so /proc/self/pagemap tells which pages
 * a space has changed. Mounting moves page tables, not bytes. Knows nothing of the engine. */

#define _GNU_SOURCE
#include "image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arena.h"

#define MIB2 ((uintptr_t)2 << 20)
#define PARK_BASE ((uintptr_t)0x300000000000)
#define MAX_SLOTS 16384u
/* A delta of more pages than this is given a base of its own before a space is made from it: copying a page
 * into a fresh mapping costs a page fault (microseconds), sharing it costs nothing. */
#define SHARE_ABOVE 64u

struct region {
  uintptr_t at;
  size_t pages;
  uintptr_t park_offset;
};

struct base {
  int refs, fd;
  uint64_t id;
  uint8_t *view;
  size_t arena_pages;
};

struct form {
  struct base *base;
  size_t n;
  uint32_t *index;
  uint8_t *bytes;
};

struct cw_image {
  int refs;
  struct form form;       /* as captured */
  struct base *shared;    /* the same content as a base without delta, made on demand */
  size_t arena_pages;     /* pages of the arena up to its top */
  uint8_t *used;          /* per arena page: part of the image? */
  size_t used_pages;
  uint64_t live_bytes;
};

struct cw_space {
  struct cw_image *origin; /* what to map on first mount */
  struct base *base;       /* NULL until mapped */
  uint32_t slot;
  size_t reach;            /* arena pages that may have been touched */
};

static struct {
  bool ready;
  struct region region[2];
  size_t pages;            /* of both regions */
  uintptr_t stride;
  int pagemap;
  bool no_scan;            /* the kernel cannot scan; read the page map instead */
  struct cw_space *mounted;
  struct cw_space *ground;  /* mounted when no world is */
  struct cw_image *pristine;
  uint32_t free_slot[MAX_SLOTS], nfree, nslots;
  uint64_t next_id;
  struct cw_memory count;
} st CW_HOST_DATA;

/* ---- addresses ------------------------------------------------------------------------------------- */

static size_t data_pages(void)
{
  return st.region[0].pages;
}

static uintptr_t region_at(const struct cw_space *s, int r)
{
  if (s == st.mounted) {
    return st.region[r].at;
  }
  return PARK_BASE + s->slot * st.stride + st.region[r].park_offset;
}

static uint8_t *page_at(const struct cw_space *s, uint32_t page)
{
  int r = page >= data_pages();
  return (uint8_t *)region_at(s, r) + (size_t)(page - (r ? data_pages() : 0)) * CW_PAGE;
}

static bool page_in(const struct cw_image *im, uint32_t page)
{
  return page < data_pages()
         || (page - data_pages() < im->arena_pages && im->used[page - data_pages()] != 0);
}

/* ---- bases ----------------------------------------------------------------------------------------- */

static struct base *base_ref(struct base *b)
{
  b->refs++;
  return b;
}

static void base_unref(struct base *b)
{
  if (b != NULL && --b->refs == 0) {
    munmap(b->view, st.pages * CW_PAGE);
    close(b->fd);
    st.count.bases--;
    st.count.base_pages -= data_pages() + b->arena_pages;
    free(b);
  }
}

static struct base *base_from_fd(int fd, size_t arena_pages)
{
  struct base *b = calloc(1, sizeof(*b));
  if (b == NULL) {
    return NULL;
  }
  b->view = mmap(NULL, st.pages * CW_PAGE, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (b->view == MAP_FAILED) {
    free(b);
    return NULL;
  }
  b->refs = 1;
  b->fd = fd;
  b->id = ++st.next_id;
  b->arena_pages = arena_pages;
  st.count.bases++;
  st.count.base_pages += data_pages() + arena_pages;
  return b;
}

static const uint8_t zero_page[CW_PAGE];

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

static const uint8_t *page_of(const struct cw_image *im, uint32_t page)
{
  int i;
  if (!page_in(im, page)) {
    return zero_page;
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
    const uint8_t *from = page < last && page_in(im, page) ? page_of(im, page) : NULL;
    if (from != NULL && memcmp(from, zero_page, CW_PAGE) == 0) {
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

static struct base *base_of_image(const struct cw_image *im)
{
  struct trailer t = {TRAILER_MAGIC, data_pages(), im->arena_pages, im->live_bytes};
  struct iovec tail[2] = {{&t, sizeof(t)}, {im->used, im->arena_pages}};
  int fd = memfd_create("civworld-image", MFD_CLOEXEC);
  struct base *b = NULL;
  if (fd < 0) {
    return NULL;
  }
  if (ftruncate(fd, (off_t)((st.pages + 1) * CW_PAGE)) == 0 && write_pages(im, fd) == 0
      && write_all(fd, tail, 2, (off_t)(st.pages * CW_PAGE)) == 0) {
    b = base_from_fd(fd, im->arena_pages);
  }
  if (b == NULL) {
    close(fd);
  }
  return b;
}

/* The image as a base without delta; NULL when memory is short. */
static struct base *share(struct cw_image *im)
{
  if (im->form.n == 0) {
    return im->form.base;
  }
  if (im->shared == NULL) {
    im->shared = base_of_image(im);
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
  st.count.images--;
  st.count.delta_pages -= im->form.n;
  base_unref(im->form.base);
  base_unref(im->shared);
  free(im->form.index);
  free(im->form.bytes);
  free(im->used);
  free(im);
}

static struct cw_image *image_new(struct base *b, size_t delta, size_t arena_pages)
{
  struct cw_image *im = calloc(1, sizeof(*im));
  if (im == NULL) {
    return NULL;
  }
  im->refs = 1;
  im->form.base = b != NULL ? base_ref(b) : NULL;
  im->form.index = malloc((delta + 1) * sizeof(uint32_t));
  im->form.bytes = malloc(delta * CW_PAGE + 1);
  im->used = malloc(arena_pages + 1);
  im->arena_pages = arena_pages;
  st.count.images++;
  if (im->form.index == NULL || im->form.bytes == NULL || im->used == NULL) {
    cw_image_unref(im);
    return NULL;
  }
  return im;
}

static void image_count_used(struct cw_image *im)
{
  im->used_pages = data_pages();
  for (size_t i = 0; i < im->arena_pages; i++) {
    im->used_pages += im->used[i] != 0;
  }
}

const cw_image *cw_image_pristine(void)
{
  return st.pristine;
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
  *out = st.count;
  return CW_OK;
}

/* ---- which pages a space has written --------------------------------------------------------------- */

#define PM_PRESENT (1ull << 63)
#define PM_SWAPPED (1ull << 62)
#define PM_FILE (1ull << 61)

static bool is_private(uint64_t entry)
{
  return ((entry & PM_PRESENT) && !(entry & PM_FILE)) || (entry & PM_SWAPPED);
}

/* The kernel's newer way to ask the same (Linux 6.7): it walks page tables instead of filling an entry a page. */
struct scan_region {
  uint64_t start, end, categories;
};
struct scan_request {
  uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
  uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_FILE (1u << 2)
#define SCAN_PRESENT (1u << 3)
#define SCAN_SWAPPED (1u << 4)
#define SCAN_IOCTL _IOWR('f', 16, struct scan_request)

/* Fills `out` with runs of private pages in [at, end); *next says where to go on. Negative when unsupported. */
static long scan(uintptr_t at, uintptr_t end, struct scan_region *out, size_t cap, uintptr_t *next)
{
  struct scan_request r = {.size = sizeof(r), .start = at, .end = end, .vec = (uintptr_t)out, .vec_len = cap,
                           .category_inverted = SCAN_FILE, .category_mask = SCAN_FILE,
                           .category_anyof_mask = SCAN_PRESENT | SCAN_SWAPPED,
                           .return_mask = SCAN_PRESENT | SCAN_SWAPPED};
  long n = ioctl(st.pagemap, SCAN_IOCTL, &r);
  *next = r.walk_end;
  return n;
}

typedef int visitor(void *arg, uint32_t page);

static int visit_run(uintptr_t from, uintptr_t to, uintptr_t at, uint32_t first, visitor *visit, void *arg)
{
  for (uintptr_t p = from; p < to; p += CW_PAGE) {
    int status = visit(arg, first + (uint32_t)((p - at) / CW_PAGE));
    if (status != CW_OK) {
      return status;
    }
  }
  return CW_OK;
}

static int each_private_entry(uintptr_t at, size_t n, uint32_t first, visitor *visit, void *arg)
{
  uint64_t entry[1024];
  for (size_t i = 0; i < n;) {
    size_t want = n - i < 1024 ? n - i : 1024;
    ssize_t got = pread(st.pagemap, entry, want * 8, (off_t)((at / CW_PAGE + i) * 8));
    if (got != (ssize_t)(want * 8)) {
      return cw_error(CW_EADDRESS, "cannot read the page map of this process: %s", strerror(errno));
    }
    for (size_t k = 0; k < want; k++) {
      int status = is_private(entry[k]) ? visit(arg, first + (uint32_t)(i + k)) : CW_OK;
      if (status != CW_OK) {
        return status;
      }
    }
    i += want;
  }
  return CW_OK;
}

/* Calls visit for every page the space holds privately, ascending; arena pages up to `reach`. */
static int each_private(const struct cw_space *s, size_t reach, visitor *visit, void *arg)
{
  struct scan_region run[256];
  for (int r = 0; r < 2; r++) {
    size_t n = r == 0 ? data_pages() : reach;
    uint32_t first = r == 0 ? 0 : (uint32_t)data_pages();
    uintptr_t at = region_at(s, r), end = at + n * CW_PAGE, next = at;
    while (next < end) {
      uintptr_t from = next;
      long runs = st.no_scan ? -1 : scan(from, end, run, 256, &next);
      int status = CW_OK;
      if (runs < 0) {
        st.no_scan = true;
        status = each_private_entry(from, (end - from) / CW_PAGE, first + (uint32_t)((from - at) / CW_PAGE), visit,
                                    arg);
        next = end;
      }
      for (long i = 0; i < runs && status == CW_OK; i++) {
        status = visit_run(run[i].start, run[i].end, at, first, visit, arg);
      }
      if (status != CW_OK) {
        return status;
      }
    }
  }
  return CW_OK;
}

/* ---- mapping --------------------------------------------------------------------------------------- */

static int map_base(struct cw_space *s, struct base *b)
{
  for (int r = 0; r < 2; r++) {
    void *at = (void *)region_at(s, r);
    off_t offset = (off_t)(r == 0 ? 0 : data_pages() * CW_PAGE);
    void *got = mmap(at, st.region[r].pages * CW_PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, b->fd, offset);
    if (got != at) {
      return cw_error(CW_ENOMEMORY, "cannot map a world: %s", strerror(errno));
    }
  }
  base_ref(b);
  base_unref(s->base);
  s->base = b;
  return CW_OK;
}

static void write_page(struct cw_space *s, uint32_t page, const uint8_t *content)
{
  uint8_t *to = page_at(s, page);
  if (memcmp(to, content, CW_PAGE) != 0) {
    memcpy(to, content, CW_PAGE);
  }
}

/* Maps the image where the space lies now (mounted or parked). */
static int map_image(struct cw_space *s, struct cw_image *im)
{
  struct base *b = im->form.n <= SHARE_ABOVE ? im->form.base : share(im);
  int status;
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  status = map_base(s, b);
  if (status == CW_OK && b == im->form.base) {
    for (size_t i = 0; i < im->form.n; i++) {
      write_page(s, im->form.index[i], im->form.bytes + i * CW_PAGE);
    }
  }
  s->reach = im->arena_pages;
  return status;
}

struct undo {
  struct cw_space *s;
  const struct cw_image *im;
  size_t next;             /* first delta page not dealt with yet */
};

/* Delta pages before `page` that the space does not hold privately still show the base: write them. */
static void write_delta_below(struct undo *u, uint32_t page)
{
  const struct form *f = &u->im->form;
  for (; u->next < f->n && f->index[u->next] < page; u->next++) {
    write_page(u->s, f->index[u->next], f->bytes + u->next * CW_PAGE);
  }
}

static int undo_page(void *arg, uint32_t page)
{
  struct undo *u = arg;
  const struct form *f = &u->im->form;
  if (u->s->base != f->base) { /* on the shared form: every page comes from there */
    write_page(u->s, page, page_of(u->im, page));
    return CW_OK;
  }
  write_delta_below(u, page);
  if (u->next < f->n && f->index[u->next] == page) {
    write_page(u->s, page, f->bytes + u->next++ * CW_PAGE);
  } else {
    write_page(u->s, page, page_in(u->im, page) ? f->base->view + (size_t)page * CW_PAGE : zero_page);
  }
  return CW_OK;
}

int cw_space_restore(cw_space *s, const cw_image *image)
{
  struct cw_image *im = (struct cw_image *)(uintptr_t)image;
  struct undo undo = {s, im, 0};
  size_t top = s == st.mounted ? cw_arena_top() / CW_PAGE : s->reach;
  size_t reach = top > s->reach ? top : s->reach;
  int status = CW_OK;
  if (s->base == NULL) { /* never mapped: start from the other image instead */
    cw_image_ref(im);
    cw_image_unref(s->origin);
    s->origin = im;
    return CW_OK;
  }
  if (s->base != im->form.base && s->base != im->shared) {
    return map_image(s, im);
  }
  reach = im->arena_pages > reach ? im->arena_pages : reach;
  status = each_private(s, reach, undo_page, &undo);
  if (status == CW_OK && s->base == im->form.base) {
    write_delta_below(&undo, UINT32_MAX);
  }
  s->reach = reach;
  return status;
}

static int move_space(struct cw_space *s, bool in)
{
  for (int r = 0; r < 2; r++) {
    uintptr_t park = PARK_BASE + s->slot * st.stride + st.region[r].park_offset;
    uintptr_t from = in ? park : st.region[r].at, to = in ? st.region[r].at : park;
    size_t bytes = st.region[r].pages * CW_PAGE;
    if (mremap((void *)from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)to) != (void *)to) {
      return cw_error(CW_EADDRESS, "cannot move a world's memory: %s", strerror(errno));
    }
  }
  return CW_OK;
}

static int park_mounted(void)
{
  struct cw_space *s = st.mounted;
  size_t top;
  if (s == NULL) {
    return CW_OK;
  }
  top = cw_arena_top() / CW_PAGE;
  s->reach = top > s->reach ? top : s->reach;
  if (move_space(s, false) != CW_OK) {
    return CW_EADDRESS;
  }
  st.mounted = NULL;
  return CW_OK;
}

int cw_space_mount(cw_space *s)
{
  int status;
  if (s == st.mounted) {
    return CW_OK;
  }
  if (s->base == NULL) {
    /* Map it parked first: a failure here must leave the mounted world where it is. */
    status = map_image(s, s->origin);
    if (status != CW_OK) {
      return status;
    }
    cw_image_unref(s->origin);
    s->origin = NULL;
  }
  status = park_mounted();
  if (status == CW_OK) {
    status = move_space(s, true);
  }
  if (status == CW_OK) {
    st.mounted = s;
  }
  return status;
}

/* ---- spaces ---------------------------------------------------------------------------------------- */

int cw_space_new(const cw_image *from, cw_space **out)
{
  struct cw_space *s = calloc(1, sizeof(*s));
  if (s == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for a world");
  }
  if (st.nfree > 0) {
    s->slot = st.free_slot[--st.nfree];
  } else if (st.nslots < MAX_SLOTS) {
    s->slot = st.nslots++;
  } else {
    free(s);
    return cw_error(CW_ENOMEMORY, "%u worlds are alive in this process, the most there may be", MAX_SLOTS);
  }
  cw_image_ref(from);
  s->origin = (struct cw_image *)(uintptr_t)from;
  st.count.spaces++;
  *out = s;
  return CW_OK;
}

int cw_space_free(cw_space *s)
{
  /* Something must always lie under the engine's code: the process's own exit handlers touch its data. */
  if (s == st.mounted && cw_space_mount(st.ground) != CW_OK) {
    return CW_EADDRESS;
  }
  if (s->base != NULL) {
    for (int r = 0; r < 2; r++) {
      munmap((void *)region_at(s, r), st.region[r].pages * CW_PAGE);
    }
  }
  base_unref(s->base);
  cw_image_unref(s->origin);
  st.free_slot[st.nfree++] = s->slot;
  st.count.spaces--;
  free(s);
  return CW_OK;
}

bool cw_space_is_mounted(void)
{
  return st.mounted != NULL && st.mounted != st.ground;
}

struct gather {
  struct cw_space *s;
  struct cw_image *im;
  size_t cap;
};

static int gather_page(void *arg, uint32_t page)
{
  struct gather *g = arg;
  struct form *f = &g->im->form;
  const uint8_t *now = page_at(g->s, page);
  if (!page_in(g->im, page) || memcmp(now, f->base->view + (size_t)page * CW_PAGE, CW_PAGE) == 0) {
    return CW_OK;
  }
  if (f->n == g->cap) {
    size_t cap = g->cap * 2;
    uint32_t *index = realloc(f->index, cap * sizeof(uint32_t));
    uint8_t *bytes;
    if (index == NULL) {
      return cw_error(CW_ENOMEMORY, "out of memory for an image");
    }
    f->index = index;
    bytes = realloc(f->bytes, cap * CW_PAGE);
    if (bytes == NULL) {
      return cw_error(CW_ENOMEMORY, "out of memory for an image");
    }
    f->bytes = bytes;
    g->cap = cap;
  }
  f->index[f->n] = page;
  memcpy(f->bytes + f->n * CW_PAGE, now, CW_PAGE);
  f->n++;
  return CW_OK;
}

/* Puts the space on the image's own base once most of it has been rewritten, so later captures stay small. */
static int rebase(struct cw_space *s, struct cw_image *im)
{
  struct base *b;
  if (im->form.n * 2 < im->used_pages) {
    return CW_OK;
  }
  b = base_of_image(im);
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  st.count.delta_pages -= im->form.n;
  base_unref(im->form.base);
  im->form.base = b;
  im->form.n = 0;
  return map_base(s, b);
}

int cw_space_capture(cw_space *s, cw_image **out)
{
  struct gather g = {s, NULL, 512};
  struct cw_arena_stats stats;
  const uint8_t *map;
  size_t npages;
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
  cw_arena_stats(&stats);
  g.im = image_new(s->base, g.cap, npages);
  if (g.im == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for an image");
  }
  memcpy(g.im->used, map, npages);
  g.im->live_bytes = stats.live_bytes + data_pages() * CW_PAGE;
  image_count_used(g.im);
  status = each_private(s, npages, gather_page, &g);
  st.count.delta_pages += g.im->form.n;
  if (status == CW_OK) {
    status = rebase(s, g.im);
  }
  if (status != CW_OK) {
    cw_image_unref(g.im);
    return status;
  }
  *out = g.im;
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
  pa = page_of(p->a, page);
  pb = p->b != NULL ? page_of(p->b, page) : zero_page;
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
    if (pages[i] >= st.pages) {
      return cw_error(CW_EARGUMENT, "page %u is outside an image (%zu pages)", pages[i], st.pages);
    }
    memcpy(buf + i * CW_PAGE, page_of(image, pages[i]), CW_PAGE);
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
    if (pages[i] >= st.pages || (i > 0 && pages[i] <= pages[i - 1])) {
      return cw_error(CW_ECORRUPT, "page list of an image is not ascending within %zu pages", st.pages);
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
  im = image_new(base->form.base, base->form.n + n, extent);
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
  st.count.delta_pages += im->form.n;
  im->live_bytes = base->live_bytes;
  image_count_used(im);
  *out = im;
  return CW_OK;
}

int cw_image_fd(const cw_image *image, int *fd)
{
  struct base *b = share((struct cw_image *)(uintptr_t)image);
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a shared copy of an image: %s", strerror(errno));
  }
  *fd = b->fd;
  return CW_OK;
}

int cw_image_from_fd(int fd, cw_image **out)
{
  struct trailer t;
  off_t at = (off_t)(st.pages * CW_PAGE);
  struct base *b;
  int own;
  if (pread(fd, &t, sizeof(t), at) != (ssize_t)sizeof(t) || t.magic != TRAILER_MAGIC
      || t.data_pages != data_pages() || t.arena_pages > st.region[1].pages) {
    return cw_error(CW_ECORRUPT, "the descriptor does not hold an image of this build");
  }
  own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  b = own >= 0 ? base_from_fd(own, t.arena_pages) : NULL;
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot map an image: %s", strerror(errno));
  }
  *out = image_new(b, 0, t.arena_pages);
  base_unref(b);
  if (*out == NULL || pread(fd, (*out)->used, t.arena_pages, at + (off_t)sizeof(t)) != (ssize_t)t.arena_pages) {
    cw_image_unref(*out);
    return cw_error(CW_ECORRUPT, "the descriptor does not hold an image of this build");
  }
  (*out)->live_bytes = t.live_bytes;
  image_count_used(*out);
  return CW_OK;
}

/* ---- set-up ---------------------------------------------------------------------------------------- */

static void lay_out(uintptr_t data, size_t data_bytes)
{
  uintptr_t arena = (uintptr_t)CW_ARENA_BASE;
  st.region[0] = (struct region){data, data_bytes / CW_PAGE, data % MIB2};
  st.region[1].at = arena;
  st.region[1].pages = CW_ARENA_SPAN / CW_PAGE;
  st.region[1].park_offset = (data % MIB2 + data_bytes + MIB2 - 1) / MIB2 * MIB2 + arena % MIB2;
  st.pages = st.region[0].pages + st.region[1].pages;
  st.stride = (st.region[1].park_offset + CW_ARENA_SPAN + MIB2 - 1) / MIB2 * MIB2;
}

int cw_image_setup(void *data, size_t data_bytes)
{
  struct cw_image *im;
  struct cw_space *s;
  void *arena = (void *)(uintptr_t)CW_ARENA_BASE;
  int status;
  lay_out((uintptr_t)data, data_bytes);
  st.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (st.pagemap < 0) {
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
    if (fd < 0 || ftruncate(fd, (off_t)((st.pages + 1) * CW_PAGE)) != 0 || write_all(fd, iov, 2, 0) != 0
        || write_all(fd, tail, 2, (off_t)(st.pages * CW_PAGE)) != 0) {
      return cw_error(CW_ENOMEMORY, "cannot make a memory file: %s", strerror(errno));
    }
    status = cw_image_from_fd(fd, &im);
    close(fd);
    if (status != CW_OK) {
      return status;
    }
  }
  st.pristine = im;
  st.ready = true;
  status = cw_space_new(im, &s);
  if (status != CW_OK) {
    return status;
  }
  /* Replace the ordinary memory by the first space, in place; there is no moment without data under the code. */
  st.mounted = s;
  st.ground = s;
  status = map_base(s, im->form.base);
  s->reach = im->arena_pages;
  cw_image_unref(s->origin);
  s->origin = NULL;
  return status;
}
