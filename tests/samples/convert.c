/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * convert IN OUT [FROM=TO]: a sample profile as text, in any order, to what
 * tools/sample writes, with the new name of a file. IN is right: the test made
 * it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample/sampled.h"
#include "base/arena.h"

enum { DEPTH = 64 };

struct converting {
  struct sampled_profile profile;
  struct sampled_function *stack[DEPTH]; /* what is open, the innermost last */
};

static void need(bool good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "convert: %s\n", what);
  exit(1);
}

static const char *keep(struct converting *of, const char *text) {
  const char *kept = arena_copy(&of->profile.arena, text, strlen(text));
  need(kept, "memory");
  return kept;
}

/* Cuts the last number off, with its colon. */
static uint64_t last_number(char *text) {
  char *colon = strrchr(text, ':');
  need(colon, "a number behind a colon");
  *colon = 0;
  return strtoull(colon + 1, NULL, 10);
}

/* NAME:TOTAL:HEAD or [CONTEXT @ NAME]:TOTAL:HEAD */
static void take_head(struct converting *of, char *text) {
  uint64_t head = last_number(text), total = last_number(text);
  const char *context = NULL;
  if (*text == '[') {
    char *at = ++text, *next;
    text[strlen(text) - 1] = 0;
    while ((next = strstr(at, " @ ")))
      at = next + 3;
    if (at != text)
      at[-3] = 0;
    context = at != text ? text : "";
    text = at;
  }
  struct sampled_function *function =
      sampled_find_or_make_function(&of->profile, context, keep(of, text));
  function->head = (double)head;
  function->spanned = true;
  function->span = (double)total;
  of->stack[0] = function;
}

/* !CFGChecksum: NUMBER or !Attributes: NUMBER */
static void take_metadata(struct sampled_function *function, char *text) {
  bool checksum = text[1] == 'C';
  uint64_t value = last_number(text);
  if (checksum) {
    function->hash = value;
    function->hashed = true;
  } else
    function->attributes = (uint32_t)value;
}

/* SITE: COUNT [NAME:COUNT...] or SITE: NAME:TOTAL, of what has that depth. */
static void take_line(struct converting *of, char *text, unsigned depth) {
  struct sampled_function *function = of->stack[depth];
  char *at;
  struct sampled_site site = {(uint32_t)strtoul(text, &at, 10), 0};
  if (*at == '.')
    site.discriminator = (uint32_t)strtoul(at + 1, &at, 10);
  char *word = strtok(at + 1, " ");
  need(word, "a count");
  if (strchr(word, ':')) {
    uint64_t total = last_number(word);
    struct sampled_function *inlined = sampled_find_or_make_inlined(
        &of->profile, function, site, keep(of, word));
    need(depth + 1 < DEPTH, "not so deep");
    inlined->spanned = true;
    inlined->span = (double)total;
    of->stack[depth + 1] = inlined;
    return;
  }
  struct sampled_line *line =
      sampled_find_or_make_line(&of->profile, function, site);
  line->weight = (double)strtoull(word, NULL, 10);
  while ((word = strtok(NULL, " "))) {
    uint64_t count = last_number(word);
    sampled_add_target(&of->profile, line, keep(of, word), (double)count);
  }
}

static void read_text(struct converting *of, FILE *stream) {
  static char line[1 << 16];
  while (fgets(line, sizeof line, stream)) {
    size_t depth = strspn(line, " ");
    line[strcspn(line, "\n")] = 0;
    if (!depth)
      take_head(of, line);
    else if (line[depth] == '!')
      take_metadata(of->stack[depth - 1], line + depth);
    else
      take_line(of, line + depth, (unsigned)depth - 1);
  }
}

int main(int argc, char **argv) {
  static struct converting of;
  struct file_renames renames = {.count = 0};
  need(argc == 3 || argc == 4, "usage: convert IN OUT [FROM=TO]");
  need(argc == 3 || !renames_add_rule(&renames, argv[3]), "a rule");
  sampled_begin(&of.profile);
  FILE *stream = fopen(argv[1], "r");
  need(stream, argv[1]);
  read_text(&of, stream);
  fclose(stream);
  sampled_scale_and_sort(&of.profile, 1);
  sampled_rename_files(&of.profile, &renames);
  stream = fopen(argv[2], "w");
  need(stream, argv[2]);
  sampled_print_text(stream, &of.profile);
  need(!fclose(stream), argv[2]);
  sampled_free(&of.profile);
  renames_free(&renames);
  return 0;
}
