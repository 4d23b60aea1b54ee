/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole public C API of the embedded engine. No engine type appears here.
 *
 * One space (one world's memory) is mounted at a time; every cw_world_* call works on the mounted one.
 * All functions are for one thread at a time. Status: CW_OK 0, CW_REFUSED > 0 with the state unchanged,
 * CW_E* < 0. The caller owns every buffer; `cap` bounds it, `*needed` says what it would take. */
#ifndef CIVWORLD_H
#define CIVWORLD_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

#define CW_OK 0
#define CW_REFUSED 1
#define CW_EARGUMENT -1
#define CW_ELIFECYCLE -2
#define CW_ENOMEMORY -3
#define CW_EADDRESS -4
#define CW_EFATAL -5
#define CW_EHANG -6
#define CW_ECORRUPT -7
#define CW_ENOROOM -8

typedef struct cw_image cw_image;
typedef struct cw_space cw_space;
typedef struct cw_intake cw_intake;

/* ---- process -------------------------------------------------------------------------------------- */

/* Prepares the process: claims the fixed address ranges and takes the pristine image; data_dir holds rulesets. */
int cw_open(const char *data_dir);
/* Text of the last failure of any call in this process; valid until the next call. */
const char *cw_last_error(void);
/* Engine source file and line of the last fatal failure, or "". */
const char *cw_last_error_where(void);
/* Moves up to cap bytes of pending log lines ("LEVEL text\n") into buf and forgets them; *needed = bytes moved. */
int cw_log_read(char *buf, size_t cap, size_t *needed);

/* ---- memory: spaces and images --------------------------------------------------------------------- */

/* A new space that starts as a copy of the image, sharing its pages until they are written. */
int cw_space_new(const cw_image *from, cw_space **out);
/* The image of the process before any game was set up; owned by the library. */
const cw_image *cw_image_pristine(void);
/* Makes the space the one that cw_world_* calls work on. */
int cw_space_mount(cw_space *space);
/* Drops the space and its private pages; unmounts it first when mounted. */
int cw_space_free(cw_space *space);
/* Puts the space back to the image; the space keeps its identity. */
int cw_space_restore(cw_space *space, const cw_image *image);
/* An immutable image of the space as it is now; it shares unchanged pages with the image it came from. */
int cw_space_capture(cw_space *space, cw_image **out);
/* Drops a reference; the last one frees the image. */
void cw_image_unref(const cw_image *image);

struct cw_image_info {
  uint64_t pages;         /* pages with content */
  uint64_t delta_pages;   /* of these, stored apart from the shared base */
  uint64_t base_id;       /* which base the image builds on; equal ids share memory */
  uint64_t live_bytes;    /* bytes the engine holds allocated, plus its static data */
};
/* Size and sharing of an image. */
int cw_image_info(const cw_image *image, struct cw_image_info *out);
/* Indexes (4 KiB pages, ascending) of the pages whose content differs between two images; base NULL = all. */
int cw_image_diff(const cw_image *image, const cw_image *base, uint32_t *pages, size_t cap, size_t *needed);
/* Copies the named pages of an image into buf (n * 4096 bytes); absent pages read as zeros. */
int cw_image_read(const cw_image *image, const uint32_t *pages, size_t n, uint8_t *buf);
/* A new image: base with the named pages replaced; drop lists pages that become absent. */
int cw_image_build(const cw_image *base, const uint32_t *pages, size_t n, const uint8_t *content,
                   const uint32_t *drop, size_t ndrop, cw_image **out);
/* Starts a new image with these pages (ascending) and zeros elsewhere, whose content comes piece by piece. */
int cw_image_begin(const uint32_t *pages, size_t n, cw_intake **out);
/* Takes in the content of the next n pages; content may change afterwards. */
int cw_image_take(cw_intake *intake, const uint8_t *content, size_t n);
/* Makes the image, once all pages came; frees the intake in any case. With out NULL it only does that. */
int cw_image_end(cw_intake *intake, cw_image **out);
/* A checksum of each of n pages; one change in 2^32 goes unnoticed. */
void cw_image_sums(const uint8_t *content, size_t n, uint32_t *sums);
/* File descriptor of a memory file that holds the whole image, for handing to another process. */
int cw_image_fd(const cw_image *image, int *fd);
/* An image from such a descriptor of the same build; the descriptor is duplicated. */
int cw_image_from_fd(int fd, cw_image **out);

struct cw_memory {
  uint64_t spaces;        /* spaces alive */
  uint64_t images;        /* images alive */
  uint64_t bases;         /* shared base images alive */
  uint64_t base_pages;    /* pages with content in them */
  uint64_t delta_pages;   /* pages stored apart */
};
/* Counts of what this process holds. */
int cw_memory(struct cw_memory *out);

/* ---- a world's life -------------------------------------------------------------------------------- */

/* Brings the pristine engine up with a ruleset loaded, before any player exists. */
int cw_world_boot(const char *ruleset, int fatal_assertions);
/* Runs one server console line ("set ...", "hard", "create ..."); CW_REFUSED with the reason when it fails. */
int cw_world_command(const char *line);
/* Turns one behaviour on that differs from the stock engine, by name: a word of "behaviours". */
int cw_world_behaviour(const char *name);
/* Sets a trait (a word of "traits") that a player will start with, 1-1000. */
int cw_world_trait(int player, int trait, int32_t value);
/* Starts the game: players, map, turn 1 up to its command window; keyed chooses the generator from there on. */
int cw_world_start(int keyed);
/* Plays n turns, each from one command window to the next; *done counts those finished. A turn that takes more
 * than `work` units (requirement checks and path steps) or `seconds` (0 = no limit) ends with CW_EHANG. */
int cw_world_advance(int n, int64_t work, double seconds, int *done);
/* Units of work that the last turn took. */
int64_t cw_world_work(void);
/* Re-seeds the game's random generator; keyed says which draws from now on: 1 keyed, 0 stock, -1 the same as before. */
int cw_world_reseed(uint32_t seed, int keyed);
/* Writes the engine's own text savegame to path. */
int cw_world_savegame(const char *path);
/* Sets a booted engine up from such a savegame, up to the command window of its turn. */
int cw_world_load_savegame(const char *path, int keyed);

struct cw_world_info {
  int32_t turn, year, players, over;
  int32_t xsize, ysize, topology;
  uint32_t game_seed, map_seed;
};
/* Bytes of stack that the calling thread has left. The engine does not look before it calls itself. */
size_t cw_stack_left(void);
/* Where the mounted world stands. */
int cw_world_info(struct cw_world_info *out);
/* The canonical game state as bytes, in sections: no addresses, no clocks, no caches. *needed = bytes it takes. */
int cw_world_canonical(uint8_t *buf, size_t cap, size_t *needed);

/* ---- tables ---------------------------------------------------------------------------------------- */

struct cw_field {
  const char *name;
  const char *type;       /* numpy type string, such as "<i4" or "S32" */
  const char *doc;        /* meaning with unit */
  int32_t offset, size;
};
/* Number of tables that cw_table_read knows. */
int cw_table_count(void);
/* Name of table number i, its fields and the size of one record. */
int cw_table_schema(int i, const char **name, const struct cw_field **fields, int *nfields, int *record_size);
/* Copies these n tables of the mounted world into buf (aligned for any type), one behind the other, each from a
 * multiple of 16 bytes on; *needed = bytes it takes, rows[k] = records of the kth. CW_REFUSED when cap is short. */
int cw_table_read(const int *numbers, int n, uint8_t *buf, size_t cap, size_t *needed, size_t *rows);

/* Number of tables that cw_view_read knows: what one player knows of the tables of the same names. */
int cw_view_count(void);
/* Name of view number i, its fields and the size of one record. */
int cw_view_schema(int i, const char **name, const struct cw_field **fields, int *nfields, int *record_size);
/* Copies what player `viewer` knows of a table into buf; *used = bytes of it, *needed = bytes of room that takes.
 * CW_REFUSED when cap is short. */
int cw_view_read(int i, int viewer, uint8_t *buf, size_t cap, size_t *needed, size_t *used);

/* ---- words and records ------------------------------------------------------------------------------ */

/* These may be asked before cw_open. */

/* Name of list number i of words; NULL beyond the last list. */
const char *cw_words_list(int i);
/* The word that a number stands for in a list; NULL beyond the list, and when there is no such list. */
const char *cw_word(const char *list, int number);
/* Fields and size of a record that is no table, such as "events"; other calls read or take such records. */
int cw_record_schema(const char *record, const struct cw_field **fields, int *nfields, int *record_size);

/* ---- events ---------------------------------------------------------------------------------------- */

/* Name of a kind of event, what happened, and the meaning of the fields it uses ("field: meaning; ..."). */
int cw_events_kind(int kind, const char **name, const char **doc, const char **fields);
/* Copies the mounted world's events from number `first` on into buf, records "events"; *needed = bytes it takes.
 * CW_REFUSED when cap is short. */
int cw_events_read(int64_t first, uint8_t *buf, size_t cap, size_t *needed);
/* Turns recording on (the default) or off for all worlds of the process; the digest is the same either way. */
int cw_events_record(int on);

/* ---- edits ----------------------------------------------------------------------------------------- */

/* Adds gold (may be negative) to a living player's treasury. */
int cw_edit_add_gold(int player, int32_t amount);
/* Adds bulbs (may be negative) to what a living player has gathered for its current advance. */
int cw_edit_add_bulbs(int player, int32_t amount);
/* Sets the base value of one AI trait (a word of "traits") of a living player. */
int cw_edit_set_trait(int player, int trait, int32_t value);
/* Sets what a living player's AI feels towards another, -1000 to 1000. */
int cw_edit_set_attitude(int player, int other, int32_t value);
/* Gives a city another name that its owner may use. */
int cw_edit_rename_city(int city, const char *name);
/* Sets a city's size, as far as its buildings allow. */
int cw_edit_city_size(int city, int32_t size);
/* Gives a city to another living player, with the units in it. */
int cw_edit_transfer_city(int city, int player);
/* Grants an advance to a living player (and the team it shares research with), with messages and script or without. */
int cw_edit_grant_advance(int player, const char *advance, int announce);
/* Takes an advance away that no other known one needs. */
int cw_edit_revoke_advance(int player, const char *advance);
/* Sets what is researched; the bulbs stay. Sticky: the built-in AI keeps to it until it is learned. */
int cw_edit_set_research(int player, const char *advance, int sticky);
/* Sets the research goal, "" for none. Sticky: the built-in AI keeps to it until it is learned. */
int cw_edit_set_tech_goal(int player, const char *advance, int sticky);
/* Sets the government at once or starts a revolution. Sticky: the built-in AI changes it no more. */
int cw_edit_set_government(int player, const char *government, int anarchy, int sticky);
/* Sets the tax rates, percent. Sticky: the built-in AI changes them no more. */
int cw_edit_set_rates(int player, int tax, int luxury, int science, int sticky);
/* Ends a player as if it had lost everything. */
int cw_edit_kill_player(int player);
/* Makes a fresh unit on a tile; home 0 for none. */
int cw_edit_create_unit(int player, const char *type, int tile, int veteran, int home);
/* Removes a unit that carries no other. */
int cw_edit_remove_unit(int unit);
/* Sets the state between two players (a word of "diplomatic_states", but no team); turns for those that end; embassies
 * of each with the other when asked. */
int cw_edit_set_diplomacy(int player, int other, int state, int turns, int embassies);
/* Gives a player an embassy with another. */
int cw_edit_give_embassy(int player, int other);
/* Shows the n tiles to a player and to whom it shares its vision with. */
int cw_edit_reveal_map(int player, const int32_t *tiles, size_t n);
/* Makes a player forget those of the n tiles that it does not see now. */
int cw_edit_hide_map(int player, const int32_t *tiles, size_t n);
/* Sets a world rule: "disasters" (per mille and turn), "foodbox" or "sciencebox" (percent). */
int cw_edit_set_rule(const char *rule, int32_t value);

/* ---- orders ------------------------------------------------------------------------------------------ */

/* Before cw_world_start: the players (bit per number) that wait for orders from turn 1 on. */
int cw_world_humans(uint32_t players);
/* Hands a living player to orders (human != 0) or back to the built-in AI. */
int cw_control(int player, int human);
/* Whether the player waits for orders. */
int cw_is_human(int player);

struct cw_outcome {
  int32_t result;         /* a word of "results" */
  int32_t unit, city;     /* ids of what acted or came to be; 0 = none */
  int32_t tile;           /* index of the tile where it stands; -1 = gone */
  int32_t target, value;  /* what was aimed at; price, turn or other number the command gives */
};
/* Carries out an order of a human-run player through the server's own handler. The numbers and the two names mean
 * what the command's row in csrc/command/ says. CW_REFUSED with the engine's reason leaves the state unchanged. */
int cw_order(int player, const char *command, const int32_t *args, int nargs, const char *text, const char *more,
             struct cw_outcome *out);
/* What the server told the player during the last order; valid until the next call. */
const char *cw_order_text(void);

/* Orders that the player may give now, by what it knows, records "legal"; none for a dead or AI-run one. *needed =
 * bytes it takes. */
int cw_legal(int player, uint8_t *buf, size_t cap, size_t *needed);
/* Cities that the player knows, by the names it knows, records "known_cities". *needed = bytes it takes. */
int cw_legal_cities(int player, uint8_t *buf, size_t cap, size_t *needed);
/* Name in the ruleset of a number of a kind (a word of "rules"); NULL past the end. */
const char *cw_rule_name(const char *kind, int number);

/* ---- plans ----------------------------------------------------------------------------------------- */

/* Gives a living AI player a plan (one record "plan") in place of the one it has; NULL takes it away. */
int cw_plan_set(int player, const uint8_t *record);
/* The plan that a player has now, with the turns left: one record "plan". */
int cw_plan_get(int player, uint8_t *record);
/* In notes on production: the kind of an item (a word of "items") times this, plus its number. */
#define CW_NOTE_ITEM 100000
/* Where the world differed from a plan when a turn's command window opened, oldest first, the last 512: records
 * "plan_notes". *needed = bytes it takes. */
int cw_plan_notes(int player, uint8_t *buf, size_t cap, size_t *needed);

/* ---- validation and fault injection ---------------------------------------------------------------- */

/* Runs the engine's own sanity checks, which may repair what they find; a failure is CW_EFATAL or a log line. */
int cw_world_sanity(void);
/* Turns recording of the engine's own score log on or off, outside the image. */
int cw_score_log(int on);
/* Moves recorded score rows (turn, player slot, one int32 per tag) out; *needed = int32s it takes. */
int cw_score_log_read(int32_t *buf, size_t cap, size_t *needed);
/* Number of score tags, and the name of each. */
int cw_score_tags(void);
const char *cw_score_tag_name(int tag);
/* The nth allocation from now fails (1 = the next); -1 turns it off. */
int cw_fault_allocation(int64_t n);
/* Fails an engine assertion on purpose. */
int cw_fault_assert(void);
/* Loops for ever inside the engine, counting work or not; ends with CW_EHANG. */
int cw_fault_hang(int counted, int64_t work, double seconds);
/* Writes to an address that is not mapped: the process gets SIGSEGV. */
int cw_fault_crash(void);

#pragma GCC visibility pop

#endif
