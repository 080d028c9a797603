/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Drops flags by the rules of base/follow.c. The coverage mapping says what
 * they follow from.
 */
#include "flags_inside.h"

#include "../base/buffer.h"
#include "../base/ways.h"

enum { PLACES_MOST = 1 << 14 };

static const char *drop(void *context, uint32_t number, const uint32_t *from,
                        size_t count) {
  struct body *body = context;
  struct flag_place *place = body_places(body) + number;
  const size_t dropped = number;
  const char *error = NULL;
  place->dropped = true;
  place->from = body->from.size / sizeof(size_t);
  for (size_t i = 0; i < count && !error; i++) {
    const size_t one = from[i];
    error = buffer_append(&body->from, &one, sizeof one);
  }
  place->last = body->from.size / sizeof(size_t);
  return error ? error : buffer_append(&body->drops, &dropped, sizeof dropped);
}

/* Whether some function may lose flags. Its mapping says what follows. */
static bool any_follows(const struct body *body) {
  bool any = false;
  for (size_t i = 0; i < body_place_count(body); i++) {
    struct differences_of *function = body_places(body)[i].function;
    function->follows = function->alone && function->mapping.size;
    any |= function->follows;
  }
  return any;
}

const char *flags_follow(struct body *body) {
  struct ways ways;
  if (body->reader->keeps || body_place_count(body) > PLACES_MOST ||
      !any_follows(body))
    return NULL;
  const char *error = ways_make(&ways, body);
  if (!error)
    error = follow_flags(&ways, drop, body);
  ways_free(&ways);
  return error;
}
