/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private build switches of the embedded engine; stands in for what a configure run would find on glibc. */
#ifndef FC_CONFIG_H
#define FC_CONFIG_H

#include "freeciv_config.h"
#include "version_gen.h"

#define LOCALEDIR ""
#define BUG_URL ""
#define WIKI_URL ""
#define DATASUBDIR "freeciv"
#define BINDIR ""
#define FC_CONF_PATH "/nonexistent"
#define MPICON_PATH ""
#define DEFAULT_DATA_PATH "@civworld"
#define DEFAULT_SAVE_PATH "/nonexistent"
#define DEFAULT_SCENARIO_PATH "@civworld/scenarios"
#define DEFAULT_SOCK_PORT 5556

#define AI_MOD_DEFAULT "classic"
#define AI_MOD_STATIC_CLASSIC 1

#define INIT_BRACE_BEGIN {
#define INIT_BRACE_END }
#define SIZEOF_INT 4
#define SIZE_T_PRINTF "%zu"
#define ALWAYS_ROOT 1
#define ICONV_CONST
#define IS_DEVEL_VERSION 0
#define IS_FREEZE_VERSION 0
#define IS_BETA_VERSION 0
#define FREECIV_RELEASE_MONTH 3
#define NEXT_STABLE_VERSION "3.1.0"

#define HAVE_ARPA_INET_H 1
#define HAVE_FCNTL_H 1
#define HAVE_TIME_H 1
#define HAVE_LIBGEN_H 1
#define HAVE_MEMORY_H 1
#define HAVE_NETDB_H 1
#define HAVE_PWD_H 1
#define HAVE_SIGNAL_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRINGS_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_FILE_H 1
#define HAVE_SYS_IOCTL_H 1
#define HAVE_SYS_SIGNAL_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_UIO_H 1
#define HAVE_SYS_WAIT_H 1
#define HAVE_LOCALE_H 1
#define HAVE_INTTYPES_H 1
#define HAVE_STDINT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_SOCKET_H 1
#define HAVE_SYS_SELECT_H 1
#define HAVE_NETINET_IN_H 1
#define HAVE_DIRENT_H 1
#define HAVE_STDBOOL_H 1
#define HAVE_VSNPRINTF 1
#define HAVE_WORKING_VSNPRINTF 1
#define HAVE_FDOPEN 1
#define HAVE_FILENO 1
#define HAVE_GETCWD 1
#define HAVE_GETTIMEOFDAY 1
#define HAVE_OPENDIR 1
#define HAVE_SELECT 1
#define HAVE_STRCASESTR 1
#define HAVE_STRCOLL 1
#define HAVE_STRERROR 1
#define HAVE_STRSTR 1
#define HAVE_VA_COPY 1
#define HAVE_VPRINTF 1
#define HAVE_LOCALTIME_R 1
#define HAVE_GMTIME_R 1
#define HAVE_INET_ATON 1
#define HAVE_INET_NTOP 1
#define HAVE_INET_PTON 1
#define HAVE_GETADDRINFO 1
#define HAVE_GETNAMEINFO 1

#endif
