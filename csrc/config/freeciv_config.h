/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Public build switches of the embedded engine: a server without network, translations or curses. */
#ifndef FC__FREECIV_CONFIG_H
#define FC__FREECIV_CONFIG_H

#define FREECIV_AI_MOD_LAST 1
#define FREECIV_HAVE_SOCKLEN_T
#define FREECIV_STORAGE_DIR "/nonexistent"
#define FREECIV_META_URL ""
#define FREECIV_HAVE_PTHREAD 1
#define FREECIV_HAVE_THREAD_COND
#define FREECIV_HAVE_LOCALE_H 1
#define FREECIV_HAVE_INTTYPES_H 1
#define FREECIV_HAVE_STDINT_H 1
#define FREECIV_HAVE_SYS_TYPES_H 1
#define FREECIV_HAVE_UNISTD_H 1
#define FREECIV_HAVE_SYS_TIME_H 1
#define FREECIV_HAVE_SYS_SOCKET_H 1
#define FREECIV_HAVE_SYS_SELECT_H 1
#define FREECIV_HAVE_NETINET_IN_H 1
#define FREECIV_HAVE_DIRENT_H 1
#define FREECIV_HAVE_STDBOOL_H 1
#define FREECIV_HAVE_LIBZ 1
#define FREECIV_C11_STATIC_ASSERT 1
#define FREECIV_STATIC_STRLEN 1
#define FREECIV_DELTA_PROTOCOL 1

#endif
