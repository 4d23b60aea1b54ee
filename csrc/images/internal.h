/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The structures behind images and spaces, and what the files of this room offer each other. The files are layers,
 * listed here from the lowest up: each calls those above it in this list only. */
#ifndef CW_IMAGE_INTERNAL_H
#define CW_IMAGE_INTERNAL_H

#include <stdint.h>
#include <sys/uio.h>

#include "arena/arena.h"
#include "images/images.h"

#define MAX_SLOTS 16384u

struct region {
  uintptr_t at;
  size_t pages;
  uintptr_t park_offset;
};

/* A memory file with every page of some image; spaces map it privately. */
struct base {
  int refs, fd;
  uint64_t id;
  uint8_t *view;           /* all of it, read only */
  size_t arena_pages;
  uint8_t *used;           /* per arena page: has content? What has none is a hole and not to be read: that fills it */
  size_t held;             /* pages with content */
};

/* Content as a base and the pages that differ from it. */
struct form {
  struct base *base;
  size_t n, stored;        /* pages that differ; of these, not zero */
  uint32_t *index;         /* which, ascending */
  uint32_t *slot;          /* where in bytes, counted from 1; 0 for a page of zeros */
  uint8_t *bytes;
  size_t copies;           /* pages that bytes has room for while the form is made */
};

struct cw_image {
  int refs;
  struct form form;        /* as captured */
  struct base *shared;     /* the same content as a base without delta, made on demand */
  size_t arena_pages;      /* pages of the arena up to its top */
  uint8_t *used;           /* per arena page: part of the image? The others are zero */
  size_t used_pages;
  unsigned mapped;         /* how often a space has been mapped from it by copying its delta */
  unsigned patience;       /* how often it has lost its shared base to images that were used later */
  bool pinned;             /* its shared base stays */
};

struct cw_space {
  struct cw_image *origin; /* what to map on first mount */
  struct base *base;       /* NULL until mapped */
  uint32_t slot;
  size_t reach;            /* arena pages that may have been touched */
  size_t handled;          /* pages that captures and restores looked at since the space was put on its base */
  unsigned rebases;        /* how often a capture has put it on a base of its own */
  const struct cw_image *went_back_to; /* of the last restore; not to be looked into */
};

/* What this process holds; lies behind the image. */
extern struct cw_memory_state {
  bool ready;
  struct region region[2];
  size_t pages;            /* of both regions */
  uintptr_t stride;
  int pagemap;
  bool no_scan;            /* the kernel cannot scan; read the page map instead */
  struct cw_space *live[2]; /* whose region lies where the engine sees it; both are one space's, but in the middle
                               of a move, and after one that failed and could not be taken back */
  struct cw_space *mounted; /* that space; NULL when there are two */
  struct cw_space *ground;  /* mounted when no world is */
  struct cw_space *stuck;   /* to be dropped once something else is mounted */
  struct cw_space *spare;   /* a dropped space, clean, for the next one on its base; it is not counted */
  struct cw_image *pristine;
  uint32_t free_slot[MAX_SLOTS + 2], nfree, nslots; /* two more than spaces: one built aside, the spare */
  uint32_t *list;           /* of cw_private_pages() */
  size_t list_n, list_cap;
  uint64_t next_id;
  struct cw_memory count;
} cw_mem;

extern const uint8_t cw_zero_page[CW_PAGE];

static inline size_t data_pages(void)
{
  return cw_mem.region[0].pages;
}

static inline const uint8_t *base_page(const struct base *b, uint32_t page)
{
  size_t arena_page = (size_t)page - data_pages(); /* wraps for data pages */
  bool hole = page >= data_pages() && (arena_page >= b->arena_pages || b->used[arena_page] == 0);
  return hole ? cw_zero_page : b->view + (size_t)page * CW_PAGE;
}

static inline const uint8_t *form_content(const struct form *f, size_t i)
{
  return f->slot[i] > 0 ? f->bytes + (size_t)(f->slot[i] - 1) * CW_PAGE : cw_zero_page;
}

/* Whether the page is part of the image; a page that is not reads as zeros. */
static inline bool cw_image_holds(const struct cw_image *im, uint32_t page)
{
  return page < data_pages()
         || (page - data_pages() < im->arena_pages && im->used[page - data_pages()] != 0);
}

/* ---- places.c: where spaces lie ---------------------------------------------------------------------- */

/* Where a region of the space lies while it is not mounted, and where it lies now. */
uintptr_t cw_park_at(const struct cw_space *s, int r);
uintptr_t cw_region_at(const struct cw_space *s, int r);
/* Gives back the space's place and the memory there, but for memory that lies where the engine sees it. */
void cw_place_leave(const struct cw_space *s);

/* ---- pagemap.c --------------------------------------------------------------------------------------- */

/* Lists the pages that the space holds privately, ascending; arena pages at least up to `reach`. The list is valid
 * until the next call. */
int cw_private_pages(const struct cw_space *s, size_t reach, const uint32_t **pages, size_t *n);

/* ---- file.c ------------------------------------------------------------------------------------------ */

/* Pages on their way into a memory file, in runs of neighbours; pages of zeros stay holes. */
struct run {
  int fd, n, status;
  uint32_t next; /* the page that would prolong it */
  struct iovec iov[256];
};

/* A new memory file as long as an image, with the trailer in place; negative when memory is short. */
int cw_file_new(const uint8_t *used, size_t arena_pages);
/* Reads what lies behind the pages into b and maps the pages; 0, or -1 with errno. */
int cw_file_map(struct base *b, int fd);
/* Closes the file and leaves errno as it was. */
void cw_file_close(int fd);
/* Adds a page behind those added before; its content must stay until the next flush. */
void cw_run_add(struct run *run, uint32_t page, const uint8_t *content);
void cw_run_flush(struct run *run);

/* ---- base.c ------------------------------------------------------------------------------------------ */

struct base *cw_base_ref(struct base *b);
void cw_base_unref(struct base *b);
/* Gives up the dropped space that is kept for reuse. */
void cw_spare_drop(void);
/* Takes over the descriptor of a memory file; NULL with errno (EBADMSG: not of this build) leaves it the caller's. */
struct base *cw_base_from_fd(int fd);
/* The base that the run has been written for, or NULL with errno. */
struct base *cw_base_of_run(struct run *run);
/* A base with the whole content of the image; NULL with errno when memory is short. */
struct base *cw_base_of_image(const struct cw_image *im);
/* A base of what lies in memory; NULL with errno when memory is short. */
struct base *cw_base_of_memory(const uint8_t *data, const uint8_t *arena, const uint8_t *used, size_t arena_pages);

/* ---- image.c ----------------------------------------------------------------------------------------- */

/* Takes one more reference to the image. */
void cw_image_ref(const cw_image *image);
/* The image as a base without delta, made once and kept; NULL with errno when memory is short. */
struct base *cw_image_share(struct cw_image *im);
/* The same for an image that is mapped, but NULL the first time too: then copying its delta costs less than a base. */
struct base *cw_image_worth_sharing(struct cw_image *im);
/* The image that is a base, whose reference it takes over. */
int cw_image_of_base(struct base *b, cw_image **out);
/* Gives up the delta for the shared base, once there is one. */
void cw_image_collapse(struct cw_image *im);
/* An image on base b without delta yet; room for that many delta pages, and copies of them that are not zero. NULL
 * when memory is short. */
struct cw_image *cw_image_new(struct base *b, const uint8_t *used, size_t arena_pages, size_t room, size_t copies);
/* How many pages the base holds that an image with these used pages does not: its delta names them as zeros. */
size_t cw_image_absent(const struct base *b, const uint8_t *used, size_t arena_pages);
/* Adds these pages, of [*from, to), to the delta. */
void cw_image_add_absent(struct cw_image *im, uint32_t *from, uint32_t to);
/* Adds a delta page, a copy of content or (cw_zero_page) no copy. All adding goes in ascending order. */
void cw_image_add(struct cw_image *im, uint32_t page, const uint8_t *content);
/* Ends the adding: gives back room that was not needed, and counts the pages. */
void cw_image_finish(struct cw_image *im);
/* CW_OK when the pages ascend and lie within an image. */
int cw_pages_check(const uint32_t *pages, size_t n);
/* Content of one page of the image. */
const uint8_t *cw_image_page(const struct cw_image *im, uint32_t page);

/* ---- pages.c, intake.c: for civworld.h alone ----------------------------------------------------------- */

/* ---- space.c ----------------------------------------------------------------------------------------- */

/* Lays the first space over the memory it was made from. */
int cw_space_take_over(const cw_image *pristine);

/* ---- setup.c: cw_image_setup of images.h ----------------------------------------------------------------- */

#endif
