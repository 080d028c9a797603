/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The writers as a command: reads profiles of any kind, and writes their sum.
 *   convert [text] [llvm=N] [version=N] [sparse] [vtables] [locals=C] [mcdc=N]
 *     IN... OUT
 * Without version=N the release decides, without that the oldest is written.
 * locals=C gives local names that separator, which else goes by the version.
 * MC/DC bitmaps in text are of LLVM 19, or of mcdc=N.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "indexed.h"
#include "raw.h"
#include "profile/proftext.h"
#include "profile_merge.h"

struct wishes {
  bool text;
  unsigned llvm, mcdc;
  char separator;
  struct indexed_options indexed;
};

static struct profile profile;

/* Whether it is no file. */
static bool take_wish(struct wishes *wishes, const char *word) {
  if (strcmp(word, "text") == 0)
    return wishes->text = true;
  if (strcmp(word, "sparse") == 0)
    return wishes->indexed.sparse = true;
  if (strcmp(word, "vtables") == 0)
    return wishes->indexed.vtable_names = true;
  if (sscanf(word, "llvm=%u", &wishes->llvm) == 1 ||
      sscanf(word, "version=%u", &wishes->indexed.version) == 1 ||
      sscanf(word, "mcdc=%u", &wishes->mcdc) == 1)
    return true;
  return sscanf(word, "locals=%c", &wishes->separator) == 1;
}

static int read_one(const char *name) {
  const struct raw_options options = {.weight = 1};
  struct file file;
  size_t line = 0;
  const char *error = "it is no profile; give one";
  if (file_read(&file, name, (size_t)1 << 30))
    return 1;
  if (file_is_raw_profile(file.bytes))
    error = raw_parse_into(&profile, file.bytes, &options);
  else if (indexed_has_magic(file.bytes))
    error = indexed_parse_into(&profile, file.bytes, 1, NULL);
  else if (proftext_is_text_file(file.bytes))
    error = proftext_parse_into(&profile, file.bytes, 1, NULL, &line);
  file_close(&file);
  return error ? report(name, "line %zu: %s", line, error) : 0;
}

static const char *write_all(struct wishes *wishes, FILE *stream) {
  const char *why_not = NULL;
  if (!wishes->text && !wishes->indexed.version) {
    wishes->indexed.version =
        indexed_choose_version(&profile, wishes->llvm, &why_not);
    if (!wishes->indexed.version)
      return why_not;
    if (why_not)
      fprintf(stderr, "note: %s\n", why_not);
  }
  if (!wishes->separator && wishes->text && wishes->llvm)
    wishes->separator = wishes->llvm < 18 ? ':' : ';';
  if (!wishes->separator && !wishes->text)
    wishes->separator = wishes->indexed.version < INDEXED_SEMICOLON ? ':' : ';';
  if (wishes->separator)
    translate_name_separators(&profile, wishes->separator, NULL);
  return wishes->text ? proftext_write(&profile, stream, wishes->llvm,
                                       wishes->indexed.sparse)
                      : indexed_write(&profile, stream, &wishes->indexed);
}

int main(int argc, char **argv) {
  struct wishes wishes = {.mcdc = BITMAPS_19};
  struct output_file output;
  int at = 1;
  while (at < argc && take_wish(&wishes, argv[at]))
    at++;
  if (argc - at < 2)
    return 2;
  profile_init(&profile, (size_t)1 << 32);
  profile.bitmaps_by_user = wishes.mcdc;
  for (; at < argc - 1; at++)
    if (read_one(argv[at]))
      return 1;
  if (output_open(&output, argv[at]))
    return 1;
  const char *error = write_all(&wishes, output.stream);
  profile_free(&profile);
  if (!error)
    return output_commit(&output);
  output_abandon(&output);
  return report(argv[at], "%s", error);
}
