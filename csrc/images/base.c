/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bases: memory files that hold every page of an image, shared by all that is mapped from them. */

#include "images/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct base *cw_base_ref(struct base *b)
{
  b->refs++;
  return b;
}

void cw_spare_drop(void)
{
  struct cw_space *spare = cw_mem.spare;
  cw_mem.spare = NULL;
  if (spare != NULL) {
    cw_place_leave(spare);
    cw_base_unref(spare->base);
    free(spare);
  }
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
    cw_mem.count.base_pages -= b->held;
    free(b->used);
    free(b);
  }
}

struct base *cw_base_from_fd(int fd)
{
  struct base *b = calloc(1, sizeof(*b));
  if (b == NULL || cw_file_map(b, fd) != 0) {
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
  b->held = data_pages();
  for (size_t i = 0; i < b->arena_pages; i++) {
    b->held += b->used[i] != 0;
  }
  cw_mem.count.base_pages += b->held;
  return b;
}

struct base *cw_base_of_run(struct run *run)
{
  struct base *b;
  if (run->status == 0) {
    cw_run_flush(run);
  }
  b = run->status == 0 ? cw_base_from_fd(run->fd) : NULL;
  if (b == NULL) {
    cw_file_close(run->fd);
  }
  return b;
}

struct base *cw_base_of_image(const struct cw_image *im)
{
  const struct form *f = &im->form;
  struct run run = {.fd = cw_file_new(im->used, im->arena_pages)};
  size_t next = 0;
  if (run.fd < 0) {
    return NULL;
  }
  for (uint32_t page = 0; page < data_pages() + im->arena_pages; page++) {
    bool apart = next < f->n && f->index[next] == page;
    cw_run_add(&run, page, apart ? form_content(f, next++) : base_page(f->base, page));
  }
  return cw_base_of_run(&run);
}

struct base *cw_base_of_memory(const uint8_t *data, const uint8_t *arena, const uint8_t *used, size_t arena_pages)
{
  struct run run = {.fd = cw_file_new(used, arena_pages)};
  uint32_t first = (uint32_t)data_pages();
  if (run.fd < 0) {
    return NULL;
  }
  for (uint32_t page = 0; page < first; page++) {
    cw_run_add(&run, page, data + (size_t)page * CW_PAGE);
  }
  for (uint32_t page = 0; page < arena_pages; page++) {
    if (used[page] != 0) {
      cw_run_add(&run, first + page, arena + (size_t)page * CW_PAGE);
    }
  }
  return cw_base_of_run(&run);
}
