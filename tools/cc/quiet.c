/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A jump to a block that stands before it may be a loop: clang's front end
 * writes blocks in the order of the source.
 */
#include "flags_inside.h"

#include "../base/buffer.h"
#include "../base/map.h"
#include "../base/error.h"
#include "../object/digest.h"

enum { MOST = 1 << 28, UNKNOWN = 1, QUIET, LOUD, CALLS_LOUD = 4 };

struct quiet_call {
  uint64_t from, to;
};

const struct quiet quiet_none = {.functions = {.limit = MOST},
                                 .blocks = {.limit = MOST},
                                 .calls = {.limit = MOST}};

/* Intrinsics that run no code of others. */
static const char *const intrinsics[] = {
    "abs.",   "assume",   "bitreverse.", "bswap.",        "ceil.",
    "ct",     "dbg.",     "expect",      "experimental.", "fabs.",
    "floor.", "fmuladd.", "frameaddr",   "fsh",           "instrprof.",
    "is.",    "launder.", "lifetime.",   "mem",           "objectsize",
    "ptr.",   "returna",  "sadd.",       "smax.",         "smin.",
    "smul.",  "sqrt.",    "ssub.",       "stack",         "strip.",
    "thread", "trunc.",   "uadd.",       "umax.",         "umin.",
    "umul.",  "usub.",    "va_"};

static bool is_intrinsic(struct part name) {
  if (!part_take(&name, "@llvm."))
    return false;
  for (unsigned i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (part_begins(name, intrinsics[i]))
      return true;
  return false;
}

static uint64_t key_of(struct part name) {
  return md5_low64(name.at, name.size) | 1;
}

/* Whether the line is a call, and the name of the function, if it has one: the
 * first name outside of parentheses. */
static bool read_call(struct part line, struct part *name) {
  static const char *const kinds[] = {"tail ", "musttail ", "notail "};
  unsigned depth = 0;
  *name = (struct part){"", 0};
  if (!part_take(&line, "  "))
    return false;
  if (text_name(&line).size)
    part_take(&line, " = ");
  for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
    part_take(&line, kinds[i]);
  if (!part_begins(line, "call ") && !part_begins(line, "invoke ") &&
      !part_begins(line, "callbr "))
    return false;
  if (part_contains(line, " asm "))
    return true;
  for (; line.size; part_cut(&line, 1)) {
    depth += *line.at == '(';
    depth -= *line.at == ')' && depth;
    if (*line.at == '@' && !depth) {
      *name = text_global(&line);
      break;
    }
  }
  return true;
}

/* ---- reading ---- */

static const char *begin_function(struct quiet *quiet, struct part line) {
  struct part name = line;
  bool other =
      part_contains(line, " weak") || part_contains(line, " linkonce ");
  while (name.size && *name.at != '@')
    part_cut(&name, 1);
  name = text_global(&name);
  map_free(&quiet->blocks);
  quiet->function = other ? 0 : key_of(name);
  if (other)
    return NULL;
  uint64_t *at = map_at(&quiet->functions, quiet->function, 0, 0);
  if (!at)
    return out_of_memory;
  *at = UNKNOWN;
  return NULL;
}

static const char *make_loud(struct quiet *quiet) {
  uint64_t *at = map_at(&quiet->functions, quiet->function, 0, 0);
  if (!at)
    return out_of_memory;
  *at = LOUD;
  quiet->function = 0;
  return NULL;
}

/* Whether a line jumps back. */
static bool jumps_back(const struct quiet *quiet, struct part line) {
  struct part name;
  while (cfg_label(&line, &name)) {
    part_cut(&name, 1);
    if (map_find(&quiet->blocks, key_of(name), 0, 0))
      return true;
  }
  return false;
}

const char *quiet_read(struct quiet *quiet, struct part line) {
  struct part name;
  if (part_begins(line, "define "))
    return begin_function(quiet, line);
  if (part_begins(line, "}"))
    quiet->function = 0;
  if (!quiet->function)
    return NULL;
  if (cfg_is_block(line, &name))
    return map_at(&quiet->blocks, key_of(name), 0, 0) ? NULL : out_of_memory;
  if (jumps_back(quiet, line) || part_begins(line, "  unreachable") ||
      part_begins(line, "  indirectbr "))
    return make_loud(quiet);
  if (!read_call(line, &name) || is_intrinsic(name))
    return NULL;
  if (!name.size)
    return make_loud(quiet);
  struct quiet_call call = {quiet->function, key_of(name)};
  return buffer_append(&quiet->calls, &call, sizeof call);
}

/* ---- all ---- */

static uint64_t state_of(const struct quiet *quiet, uint64_t function) {
  const uint64_t *at = map_find(&quiet->functions, function, 0, 0);
  return at ? *at : LOUD;
}

/* Makes functions loud whose calls are not yet quiet, and the others quiet. A
 * function that calls itself stays loud. */
static bool settle_once(struct quiet *quiet) {
  const struct quiet_call *calls = (const struct quiet_call *)quiet->calls.data;
  bool more = false;
  for (size_t i = 0; i < quiet->calls.size / sizeof *calls; i++)
    if (state_of(quiet, calls[i].from) == UNKNOWN &&
        state_of(quiet, calls[i].to) != QUIET)
      *map_find(&quiet->functions, calls[i].from, 0, 0) |= CALLS_LOUD;
  for (const struct map_entry *at = NULL;
       (at = map_next(&quiet->functions, at));) {
    uint64_t *state = map_find(&quiet->functions, at->key[0], 0, 0);
    more |= *state == UNKNOWN;
    *state = *state == UNKNOWN ? QUIET : *state & ~(uint64_t)CALLS_LOUD;
  }
  return more;
}

void quiet_settle(struct quiet *quiet) {
  while (settle_once(quiet)) {
  }
}

bool quiet_is_call(const struct quiet *quiet, struct part line) {
  struct part name;
  return read_call(line, &name) && !is_intrinsic(name) &&
         (!name.size || state_of(quiet, key_of(name)) != QUIET);
}

void quiet_free(struct quiet *quiet) {
  map_free(&quiet->functions);
  map_free(&quiet->blocks);
  buffer_free(&quiet->calls);
}
