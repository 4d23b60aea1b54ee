/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What image.c, space.c and pagemap.c share: the structures behind images and spaces. */
#ifndef CW_IMAGE_INTERNAL_H
#define CW_IMAGE_INTERNAL_H

#include <stdint.h>

#include "arena.h"
#include "image.h"

#define MAX_SLOTS 16384u

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

/* What this process holds; lies behind the image. */
extern struct cw_memory_state {
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
} cw_mem;

extern const uint8_t cw_zero_page[CW_PAGE];

static inline size_t data_pages(void)
{
  return cw_mem.region[0].pages;
}

/* Whether the page is part of the image; a page that is not reads as zeros. */
static inline bool page_in(const struct cw_image *im, uint32_t page)
{
  return page < data_pages()
         || (page - data_pages() < im->arena_pages && im->used[page - data_pages()] != 0);
}

/* image.c */
struct base *cw_base_ref(struct base *b);
void cw_base_unref(struct base *b);
/* A base with the whole content of the image; NULL when memory is short. */
struct base *cw_base_of_image(const struct cw_image *im);
/* The image as a base without delta, made once and kept; NULL when memory is short. */
struct base *cw_image_share(struct cw_image *im);
/* Content of one page of the image. */
const uint8_t *cw_image_page(const struct cw_image *im, uint32_t page);
/* An image with room for `delta` pages; NULL when memory is short. */
struct cw_image *cw_image_new(struct base *b, size_t delta, size_t arena_pages);
void cw_image_count_used(struct cw_image *im);

/* space.c */
uintptr_t cw_region_at(const struct cw_space *s, int r);
/* Lays the first space over the memory it was made from. */
int cw_space_take_over(const cw_image *pristine);

/* pagemap.c */
typedef int cw_visitor(void *arg, uint32_t page);
/* Calls visit for every page the space holds privately, ascending; arena pages up to `reach`. */
int cw_each_private(const struct cw_space *s, size_t reach, cw_visitor *visit, void *arg);

#endif
