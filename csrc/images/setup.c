/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes over the memory of a process that has no world yet. */

#include "images/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB2 ((uintptr_t)2 << 20)

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

/* The first image is written from memory that is not mapped from a base yet. */
static int setup_pristine(const void *data, const void *arena)
{
  size_t npages;
  const uint8_t *map = cw_arena_page_map(&npages);
  struct base *b = cw_base_of_memory(data, arena, map, npages);
  int status;
  if (b == NULL) {
    return cw_error(CW_ENOMEMORY, "cannot make a memory file: %s", strerror(errno));
  }
  status = cw_image_of_base(b, &cw_mem.pristine);
  return status != CW_OK ? status : cw_space_take_over(cw_mem.pristine);
}

int cw_image_setup(void *data, size_t data_bytes)
{
  void *arena = (void *)(uintptr_t)CW_ARENA_BASE;
  int status;
  lay_out((uintptr_t)data, data_bytes);
  cw_mem.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (cw_mem.pagemap < 0) {
    return cw_error(CW_EADDRESS, "/proc/self/pagemap is needed and cannot be opened: %s", strerror(errno));
  }
  if (mmap(arena, CW_ARENA_SPAN, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != arena) {
    close(cw_mem.pagemap);
    return cw_error(CW_EADDRESS, "the address range %p + %#x of the arena is taken in this process", arena,
                    (unsigned)CW_ARENA_SPAN);
  }
  status = cw_arena_format(CW_ARENA_SPAN) == 0 ? setup_pristine(data, arena)
                                               : cw_error(CW_EADDRESS, "cannot format the arena");
  if (status != CW_OK) {
    cw_image_unref(cw_mem.pristine);
    cw_mem.pristine = NULL;
    munmap(arena, CW_ARENA_SPAN);
    close(cw_mem.pagemap);
  }
  return status;
}
