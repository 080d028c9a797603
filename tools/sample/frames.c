/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Contexts stay the texts that they are in a profile, and are read when they
 * are needed.
 */
#include "frames.h"

#include <string.h>

void sampled_frames(struct sampled_frame *frame,
                    const struct sampled_function *function) {
  *frame =
      (struct sampled_frame){.function = function, .rest = function->context};
}

static uint32_t number(const char **at, const char *end) {
  uint32_t value = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; ++*at)
    value = value * 10 + (uint32_t)(**at - '0');
  return value;
}

/* NAME:LINE[.DISCRIMINATOR], up to end. */
static void read_frame(struct sampled_frame *frame, const char *at,
                       const char *end) {
  const char *colon = end;
  while (colon > at && *colon != ':')
    colon--;
  frame->name = at;
  frame->size = (size_t)((colon > at ? colon : end) - at);
  if (colon++ == at)
    return;
  frame->site.line = number(&colon, end);
  if (colon < end && *colon++ == '.')
    frame->site.discriminator = number(&colon, end);
}

bool sampled_next_frame(struct sampled_frame *frame) {
  const char *at = frame->rest;
  frame->site = (struct sampled_site){0, 0};
  if (!frame->function)
    return false;
  if (at && *at) {
    const char *end = strstr(at, " @ ");
    frame->rest = end ? end + 3 : NULL;
    read_frame(frame, at, end ? end : at + strlen(at));
    return true;
  }
  frame->name = frame->function->name;
  frame->size = strlen(frame->name);
  frame->function = NULL;
  return true;
}

int sampled_compare_sites(struct sampled_site a, struct sampled_site b) {
  if (a.line != b.line)
    return a.line < b.line ? -1 : 1;
  return a.discriminator < b.discriminator ? -1
                                           : a.discriminator > b.discriminator;
}

static int compare_frames(const struct sampled_frame *a,
                          const struct sampled_frame *b) {
  size_t size = a->size < b->size ? a->size : b->size;
  int order = memcmp(a->name, b->name, size);
  if (order)
    return order;
  if (a->size != b->size)
    return a->size < b->size ? -1 : 1;
  return sampled_compare_sites(a->site, b->site);
}

int sampled_compare(const struct sampled_function *a,
                    const struct sampled_function *b) {
  struct sampled_frame of_a, of_b;
  sampled_frames(&of_a, a);
  sampled_frames(&of_b, b);
  for (;;) {
    bool more_a = sampled_next_frame(&of_a), more_b = sampled_next_frame(&of_b);
    if (!more_a || !more_b)
      return more_a - more_b;
    int order = compare_frames(&of_a, &of_b);
    if (order)
      return order;
  }
}
