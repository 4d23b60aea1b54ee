/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images that come piece by piece: their pages go straight into a memory file. */

#include "images/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    in->run.fd = cw_file_new(used, arena_pages);
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
    cw_run_add(&in->run, in->page[in->next++], content + i * CW_PAGE);
  }
  cw_run_flush(&in->run); /* the content is the caller's again */
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
  b = cw_base_of_run(&in->run);
  free(in);
  return b != NULL ? cw_image_of_base(b, out) : cw_error(CW_ENOMEMORY, "cannot map an image: %s", strerror(errno));
}
