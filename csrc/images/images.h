/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room of images: what memory a world is, and how worlds share it and take each other's place. Knows nothing of the
 * engine. This is what its neighbours in C see; the rest is in civworld.h. */
#ifndef CW_IMAGE_H
#define CW_IMAGE_H

#include <stdbool.h>

#include "civworld.h"

#define CW_PAGE 4096u

/* Puts a variable behind the image: it keeps its value when worlds change. */
#define CW_HOST_DATA __attribute__((section("cwhost,\"aw\",@nobits#")))

/* Takes over [data, data + data_bytes), page aligned, and the arena, and makes the pristine image of both. */
int cw_image_setup(void *data, size_t data_bytes);
/* Tells whether some space is mounted. */
bool cw_space_is_mounted(void);
/* Sets the text of cw_last_error and returns status; the embedder defines it. */
int cw_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
