/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile as text. What is inlined is indented by one more blank.
 */
#include "../base/error.h"
#include "../profile/emit.h"
#include "sampled.h"

static void put_blanks(struct emit *emit, unsigned count) {
  static const char blanks[] = "                                ";
  enum { MOST = sizeof blanks - 1 };
  for (; count > MOST; count -= MOST)
    emit_bytes(emit, blanks, MOST);
  emit_bytes(emit, blanks, count);
}

static void put_site(struct emit *emit, unsigned depth,
                     struct sampled_site site) {
  put_blanks(emit, depth);
  emit_decimal(emit, site.line);
  if (site.discriminator) {
    emit_bytes(emit, ".", 1);
    emit_decimal(emit, site.discriminator);
  }
  emit_bytes(emit, ": ", 2);
}

/* As put_printable has it. */
static void put_text(struct emit *emit, const char *name) {
  char one[5];
  for (const char *at = name; *at; at++)
    emit_bytes(emit, one, printable_byte(one, name, at));
}

/* A name, with a count behind a colon. */
static void put_counted(struct emit *emit, const char *name, uint64_t count) {
  put_text(emit, name);
  emit_bytes(emit, ":", 1);
  emit_decimal(emit, count);
}

static void put_line(struct emit *emit, const struct sampled_line *line,
                     unsigned depth) {
  put_site(emit, depth, line->site);
  emit_decimal(emit, line->count);
  for (const struct sampled_target *to = line->targets; to; to = to->next) {
    emit_bytes(emit, " ", 1);
    put_counted(emit, to->name, to->count);
  }
  emit_bytes(emit, "\n", 1);
}

static void put_metadata(struct emit *emit,
                         const struct sampled_function *function,
                         unsigned depth) {
  if (function->hashed) {
    put_blanks(emit, depth);
    emit_line(emit, "!CFGChecksum: ", function->hash);
  }
  if (function->attributes) {
    put_blanks(emit, depth);
    emit_line(emit, "!Attributes: ", function->attributes);
  }
}

/* As deep as functions are inlined, PROBE_DEPTH_MOST. */
static void put_function(struct emit *emit,
                         const struct sampled_function *function,
                         unsigned depth) {
  for (const struct sampled_line *line = function->lines; line;
       line = line->next)
    put_line(emit, line, depth);
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(emit, depth, inlined->site);
    put_counted(emit, inlined->name, inlined->total);
    emit_bytes(emit, "\n", 1);
    put_function(emit, inlined, depth + 1);
  }
  put_metadata(emit, function, depth);
}

/* With its context, if it has one, in brackets. */
static void put_head(struct emit *emit,
                     const struct sampled_function *function) {
  if (function->context) {
    emit_bytes(emit, "[", 1);
    put_text(emit, function->context);
    emit_text(emit, *function->context ? " @ " : "");
  }
  put_text(emit, function->name);
  put_counted(emit, function->context ? "]" : "", function->total);
}

void sampled_put_text(FILE *stream, const struct sampled *profile) {
  struct emit emit;
  emit_new(&emit, stream);
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    put_head(&emit, function);
    emit_line(&emit, ":", function->head_count);
    put_function(&emit, function, 1);
  }
  emit_flush(&emit);
}
