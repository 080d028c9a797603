/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profile as text. What is inlined is indented by one more blank.
 */
#include <inttypes.h>

#include "sampled.h"

void sampled_put_name(FILE *stream, const struct sampled_function *function) {
  if (!function->context)
    fputs(function->name, stream);
  else
    fprintf(stream, "[%s%s%s]", function->context,
            *function->context ? " @ " : "", function->name);
}

static void put_site(FILE *stream, int depth, struct sampled_site site) {
  fprintf(stream, "%*s%" PRIu32, depth, "", site.line);
  if (site.discriminator)
    fprintf(stream, ".%" PRIu32, site.discriminator);
  fputs(": ", stream);
}

static void put_function(FILE *stream, const struct sampled_function *function,
                         int depth) {
  for (const struct sampled_line *line = function->lines; line;
       line = line->next) {
    put_site(stream, depth, line->site);
    fprintf(stream, "%" PRIu64, line->count);
    for (const struct sampled_target *to = line->targets; to; to = to->next)
      fprintf(stream, " %s:%" PRIu64, to->name, to->count);
    fputc('\n', stream);
  }
  for (const struct sampled_function *inlined = function->inlined; inlined;
       inlined = inlined->next) {
    put_site(stream, depth, inlined->site);
    fprintf(stream, "%s:%" PRIu64 "\n", inlined->name, inlined->total);
    put_function(stream, inlined, depth + 1);
  }
  if (function->hashed)
    fprintf(stream, "%*s!CFGChecksum: %" PRIu64 "\n", depth, "",
            function->hash);
  if (function->attributes)
    fprintf(stream, "%*s!Attributes: %" PRIu32 "\n", depth, "",
            function->attributes);
}

void sampled_put_text(FILE *stream, const struct sampled *profile) {
  for (const struct sampled_function *function = profile->functions; function;
       function = function->next) {
    sampled_put_name(stream, function);
    fprintf(stream, ":%" PRIu64 ":%" PRIu64 "\n", function->total,
            function->head_count);
    put_function(stream, function, 1);
  }
}
