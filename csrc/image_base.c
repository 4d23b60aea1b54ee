/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bases: memory files that hold every page of an image, behind them a trailer that says which pages there are. */

#include "image_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* What a memory file says about itself behind its pages, for the process that receives it; a byte per arena page
 * follows. */
struct trailer {
  uint64_t magic, data_pages, arena_pages;
};
#define TRAILER_MAGIC 0x3230656761697763ull

struct base *cw_base_ref(struct base *b)
{
  b->refs++;
  return b;
}

void cw_base_unref(struct base *b)
{
  if (b == NULL) {
    return;
  }
  b->refs--;
  if (b->refs == 1 && cw_mem.spare != NULL && cw_mem.spare->base == b) {
    cw_spare_drop(); /* it alone is no reason to keep the base; ends in here again */
  } else if (b->refs == 0) {
    munmap(b->view, cw_mem.pages * CW_PAGE);
    close(b->fd);
    cw_mem.count.bases--;
    cw_mem.count.base_pages -= data_pages() + b->arena_pages;
    free(b->used);
    free(b);
  }
}

/* Reads what lies behind the pages into b and maps the pages; 0, or -1 with errno. */
static int base_open(struct base *b, int fd)
{
  struct trailer t;
  off_t at = (off_t)(cw_mem.pages * CW_PAGE);
  if (pread(fd, &t, sizeof(t), at) != (ssize_t)sizeof(t) || t.magic != TRAILER_MAGIC
      || t.data_pages != data_pages() || t.arena_pages > cw_mem.region[1].pages) {
    errno = EBADMSG;
    return -1;
  }
  b->arena_pages = t.arena_pages;
  b->used = malloc(t.arena_pages + 1);
  if (b->used == NULL) {
    return -1;
  }
  if (pread(fd, b->used, t.arena_pages, at + (off_t)sizeof(t)) != (ssize_t)t.arena_pages) {
    errno = EBADMSG;
    return -1;
  }
  b->view = mmap(NULL, cw_mem.pages * CW_PAGE, PROT_READ, MAP_SHARED | MAP_NORESERVE, fd, 0);
  return b->view != MAP_FAILED ? 0 : -1;
}

struct base *cw_base_from_fd(int fd)
{
  struct base *b = calloc(1, sizeof(*b));
  if (b == NULL || base_open(b, fd) != 0) {
    int why = errno;
    if (b != NULL) {
      free(b->used);
    }
    free(b);
    errno = why;
    return NULL;
  }
  b->refs = 1;
  b->fd = fd;
  b->id = ++cw_mem.next_id;
  cw_mem.count.bases++;
  cw_mem.count.base_pages += data_pages() + b->arena_pages;
  return b;
}

static int write_all(int fd, const struct iovec *iov, int n, off_t at)
{
  size_t want = 0;
  ssize_t got;
  for (int i = 0; i < n; i++) {
    want += iov[i].iov_len;
  }
  got = pwritev(fd, iov, n, at);
  if (got >= 0 && got != (ssize_t)want) {
    errno = ENOSPC;
  }
  return got == (ssize_t)want ? 0 : -1;
}

static void close_keep_errno(int fd)
{
  int why = errno;
  close(fd);
  errno = why;
}

/* A new memory file as long as an image, with the trailer in place; negative when memory is short. */
static int file_new(const uint8_t *used, size_t arena_pages)
{
  struct trailer t = {TRAILER_MAGIC, data_pages(), arena_pages};
  struct iovec tail[2] = {{&t, sizeof(t)}, {(void *)(uintptr_t)used, arena_pages}};
  int fd = memfd_create("civworld-image", MFD_CLOEXEC);
  if (fd >= 0 && write_all(fd, tail, 2, (off_t)(cw_mem.pages * CW_PAGE)) != 0) {
    close_keep_errno(fd);
    return -1;
  }
  return fd;
}

/* Pages on their way into a memory file, in runs of neighbours; pages of zeros stay holes. */
struct run {
  int fd, n, status;
  uint32_t next;           /* the page that would prolong it */
  struct iovec iov[256];
};

static void run_flush(struct run *run)
{
  if (run->n > 0 && write_all(run->fd, run->iov, run->n, (off_t)(run->next - (uint32_t)run->n) * CW_PAGE) != 0) {
    run->status = -1;
  }
  run->n = 0;
}

static void run_add(struct run *run, uint32_t page, const uint8_t *content)
{
  if (run->status != 0 || content == cw_zero_page || memcmp(content, cw_zero_page, CW_PAGE) == 0) {
    return;
  }
  if (run->n == 256 || page != run->next) {
    run_flush(run);
  }
  run->iov[run->n++] = (struct iovec){(void *)(uintptr_t)content, CW_PAGE};
  run->next = page + 1;
}

/* The base that the run has been written for, or NULL with errno. */
static struct base *run_end(struct run *run)
{
  struct base *b;
  if (run->status == 0) {
    run_flush(run);
  }
  b = run->status == 0 ? cw_base_from_fd(run->fd) : NULL;
  if (b == NULL) {
    close_keep_errno(run->fd);
  }
  return b;
}

struct base *cw_base_of_image(const struct cw_image *im)
{
  const struct form *f = &im->form;
  struct run run = {.fd = file_new(im->used, im->arena_pages)};
  size_t next = 0;
  if (run.fd < 0) {
    return NULL;
  }
  for (uint32_t page = 0; page < data_pages() + im->arena_pages; page++) {
    bool apart = next < f->n && f->index[next] == page;
    run_add(&run, page, apart ? form_content(f, next++) : base_page(f->base, page));
  }
  return run_end(&run);
}

struct base *cw_base_of_memory(const uint8_t *data, const uint8_t *arena, const uint8_t *used, size_t arena_pages)
{
  struct run run = {.fd = file_new(used, arena_pages)};
  uint32_t first = (uint32_t)data_pages();
  if (run.fd < 0) {
    return NULL;
  }
  for (uint32_t page = 0; page < first; page++) {
    run_add(&run, page, data + (size_t)page * CW_PAGE);
  }
  for (uint32_t page = 0; page < arena_pages; page++) {
    if (used[page] != 0) {
      run_add(&run, first + page, arena + (size_t)page * CW_PAGE);
    }
  }
  return run_end(&run);
}

/* ---- piece by piece -------------------------------------------------------------------------------- */

struct cw_intake {
  struct run run;
  size_t n, next;          /* pages in all, and taken in */
  uint32_t page[];
};

/* Which arena pages are among these; *arena_pages is how far they reach. NULL when memory is short. */
static uint8_t *used_of(const uint32_t *pages, size_t n, size_t *arena_pages)
{
  uint8_t *used;
  *arena_pages = n > 0 && pages[n - 1] >= data_pages() ? pages[n - 1] - data_pages() + 1 : 0;
  used = calloc(*arena_pages + 1, 1);
  for (size_t i = 0; i < n && used != NULL; i++) {
    if (pages[i] >= data_pages()) {
      used[pages[i] - data_pages()] = 1;
    }
  }
  return used;
}

int cw_image_begin(const uint32_t *pages, size_t n, cw_intake **out)
{
  struct cw_intake *in;
  size_t arena_pages;
  uint8_t *used;
  if (cw_pages_check(pages, n) != CW_OK) {
    return CW_ECORRUPT;
  }
  used = used_of(pages, n, &arena_pages);
  in = calloc(1, sizeof(*in) + n * sizeof(*pages));
  if (in != NULL && used != NULL) {
    in->run.fd = file_new(used, arena_pages);
    in->n = n;
    memcpy(in->page, pages, n * sizeof(*pages));
  }
  if (in == NULL || used == NULL || in->run.fd < 0) {
    int why = errno;
    free(in);
    free(used);
    return cw_error(CW_ENOMEMORY, "cannot make a memory file: %s", strerror(why));
  }
  free(used);
  *out = in;
  return CW_OK;
}

int cw_image_take(cw_intake *in, const uint8_t *content, size_t n)
{
  if (n > in->n - in->next) {
    return cw_error(CW_EARGUMENT, "%zu pages for an image that lacks %zu", n, in->n - in->next);
  }
  for (size_t i = 0; i < n; i++) {
    run_add(&in->run, in->page[in->next++], content + i * CW_PAGE);
  }
  run_flush(&in->run); /* the content is the caller's again */
  return in->run.status == 0 ? CW_OK : cw_error(CW_ENOMEMORY, "cannot fill a memory file: %s", strerror(errno));
}

int cw_image_end(cw_intake *in, cw_image **out)
{
  size_t lacking = in->n - in->next;
  struct base *b;
  if (out == NULL || lacking > 0) {
    close(in->run.fd);
    free(in);
    return out == NULL ? CW_OK : cw_error(CW_EARGUMENT, "an image still lacks %zu pages", lacking);
  }
  b = run_end(&in->run);
  free(in);
  return b != NULL ? cw_image_of_base(b, out) : cw_error(CW_ENOMEMORY, "cannot map an image: %s", strerror(errno));
}
