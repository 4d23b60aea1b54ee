/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages of images from outside: what differs, what is in them, and images put together from pages. */

#include "images/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------------- */

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
    apart = in_a || in_b;
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

/* ---- building -------------------------------------------------------------------------------------- */

static size_t build_extent(const cw_image *base, const uint32_t *pages, size_t n)
{
  size_t extent = base->arena_pages;
  if (n > 0 && pages[n - 1] >= data_pages() && pages[n - 1] - data_pages() + 1 > extent) {
    extent = pages[n - 1] - data_pages() + 1;
  }
  return extent;
}

/* Which arena pages the new image holds; NULL when memory is short. */
static uint8_t *build_used(const cw_image *base, const uint32_t *pages, size_t n, const uint32_t *drop, size_t ndrop,
                           size_t extent)
{
  uint8_t *used = calloc(extent + 1, 1);
  if (used == NULL) {
    return NULL;
  }
  memcpy(used, base->used, base->arena_pages);
  for (size_t k = 0; k < n; k++) {
    if (pages[k] >= data_pages()) {
      used[pages[k] - data_pages()] = 1;
    }
  }
  for (size_t k = 0; k < ndrop; k++) {
    if (drop[k] >= data_pages() && drop[k] - data_pages() < extent) {
      used[drop[k] - data_pages()] = 0;
    }
  }
  return used;
}

static const uint8_t *zero_or(const uint8_t *content)
{
  return memcmp(content, cw_zero_page, CW_PAGE) == 0 ? cw_zero_page : content;
}

/* Merges the base's delta with the new pages (the new ones win) and with what has become absent. */
static void build_merge(struct cw_image *im, const struct form *old, const uint32_t *pages, size_t n,
                        const uint8_t *content)
{
  uint32_t done = 0;
  for (size_t k = 0, i = 0; k < old->n || i < n;) {
    bool fresh = k == old->n || (i < n && pages[i] <= old->index[k]);
    uint32_t page = fresh ? pages[i] : old->index[k];
    const uint8_t *from = fresh ? content + i * CW_PAGE : form_content(old, k);
    k += k < old->n && old->index[k] == page;
    i += fresh;
    cw_image_add_absent(im, &done, page);
    if (cw_image_holds(im, page)) {
      cw_image_add(im, page, zero_or(from));
      done = page + 1;
    }
  }
  cw_image_add_absent(im, &done, UINT32_MAX);
}

int cw_image_build(const cw_image *base, const uint32_t *pages, size_t n, const uint8_t *content,
                   const uint32_t *drop, size_t ndrop, cw_image **out)
{
  size_t extent;
  struct cw_image *im = NULL;
  uint8_t *used;
  if (cw_pages_check(pages, n) != CW_OK || cw_pages_check(drop, ndrop) != CW_OK) {
    return CW_ECORRUPT;
  }
  extent = build_extent(base, pages, n);
  used = build_used(base, pages, n, drop, ndrop, extent);
  if (used != NULL) {
    size_t copies = base->form.stored + n;
    size_t room = base->form.n + n + cw_image_absent(base->form.base, used, extent);
    im = cw_image_new(base->form.base, used, extent, room, copies);
  }
  free(used);
  if (im == NULL) {
    return cw_error(CW_ENOMEMORY, "out of memory for an image");
  }
  build_merge(im, &base->form, pages, n, content);
  cw_image_finish(im);
  /* Images that are built on one another, as the turns of a timeline are, would each copy the first one's large delta;
   * on a base of its own they share it. Nothing is lost without. */
  if (im->form.n > im->used_pages / 4 && cw_image_share(im) != NULL) {
    cw_image_collapse(im);
  }
  *out = im;
  return CW_OK;
}

/* ---- checksums ------------------------------------------------------------------------------------- */

#define SUM_LANES 8
#define SUM_FACTOR 0x9E3779B97F4A7C15ull /* odd, so that no step loses a bit: 2^64 over the golden ratio */

static uint32_t page_sum(const uint8_t *page)
{
  uint64_t lane[SUM_LANES] = {1, 2, 3, 4, 5, 6, 7, 8}, words[SUM_LANES], sum = 0;
  for (size_t at = 0; at < CW_PAGE; at += sizeof(words)) {
    memcpy(words, page + at, sizeof(words));
    for (int k = 0; k < SUM_LANES; k++) {
      lane[k] = (lane[k] ^ words[k]) * SUM_FACTOR;
      lane[k] ^= lane[k] >> 32;
    }
  }
  for (int k = 0; k < SUM_LANES; k++) {
    sum = (sum ^ lane[k]) * SUM_FACTOR;
    sum ^= sum >> 32;
  }
  return (uint32_t)sum;
}

void cw_image_sums(const uint8_t *content, size_t n, uint32_t *sums)
{
  for (size_t i = 0; i < n; i++) {
    sums[i] = page_sum(content + i * CW_PAGE);
  }
}
