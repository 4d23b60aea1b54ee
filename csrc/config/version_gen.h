/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine's version, as its fc_version file states it. */
#ifndef FC__VERSION_GEN_H
#define FC__VERSION_GEN_H
#define MAJOR_VERSION 3
#define MINOR_VERSION 1
#define PATCH_VERSION 4
#define VERSION_LABEL ""
#define VERSION_STRING "3.1.4"
#define NETWORK_CAPSTRING "+Freeciv-3.1-network city-original rsdesc32 obsinv ids32"
#define FOLLOWTAG "stable"
#define FREECIV_DISTRIBUTOR ""
#endif
