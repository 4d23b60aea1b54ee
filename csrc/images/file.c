/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory files: the pages of an image, behind them a trailer that says which pages there are. */

#include "images/internal.h"

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

int cw_file_map(struct base *b, int fd)
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

void cw_file_close(int fd)
{
  int why = errno;
  close(fd);
  errno = why;
}

int cw_file_new(const uint8_t *used, size_t arena_pages)
{
  struct trailer t = {TRAILER_MAGIC, data_pages(), arena_pages};
  struct iovec tail[2] = {{&t, sizeof(t)}, {(void *)(uintptr_t)used, arena_pages}};
  int fd = memfd_create("civworld-image", MFD_CLOEXEC);
  if (fd >= 0 && write_all(fd, tail, 2, (off_t)(cw_mem.pages * CW_PAGE)) != 0) {
    cw_file_close(fd);
    return -1;
  }
  return fd;
}

void cw_run_flush(struct run *run)
{
  if (run->n > 0 && write_all(run->fd, run->iov, run->n, (off_t)(run->next - (uint32_t)run->n) * CW_PAGE) != 0) {
    run->status = -1;
  }
  run->n = 0;
}

void cw_run_add(struct run *run, uint32_t page, const uint8_t *content)
{
  if (run->status != 0 || content == cw_zero_page || memcmp(content, cw_zero_page, CW_PAGE) == 0) {
    return;
  }
  if (run->n == 256 || page != run->next) {
    cw_run_flush(run);
  }
  run->iov[run->n++] = (struct iovec){(void *)(uintptr_t)content, CW_PAGE};
  run->next = page + 1;
}
