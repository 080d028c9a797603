/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lines about functions, and the link unit's name.
 */
#include "patch_report.h"

#include <string.h>

#include "../base/error.h"
#include "../object/md5.h"
#include "hash.h"

enum { NAME_ROOM = 1000, UNIT_MOST = 1 << 28 };

/* ---- the log ---- */

static void log_function(const struct patch *patch, FILE *stream,
                         const struct patch_function *function,
                         const struct patch_function *first) {
  char name[NAME_ROOM], other[NAME_ROOM];
  fprintf(stream, "0x%0*llx %s: %s", patch->elf.wide ? 16 : 8,
          (unsigned long long)function->address,
          printable(name, sizeof name, function->name),
          patch_skip_text[function->skip]);
  if (function->skip == PATCH_SHORT)
    fprintf(stream, ": %u bytes of %u", function->nops, function->needs);
  if (function->skip == PATCH_ALIAS)
    fprintf(stream, " as %s", printable(other, sizeof other, first->name));
  putc('\n', stream);
}

void patch_log(const struct patch *patch, FILE *stream) {
  const struct patch_function *first = patch->functions;
  for (size_t i = 0; i < patch->function_count; i++) {
    const struct patch_function *function = &patch->functions[i];
    if (function->skip != PATCH_ALIAS)
      first = function;
    if (function->skip && first->skip != PATCH_NOT_CHOSEN)
      log_function(patch, stream, function, first);
  }
}

void patch_summary(const struct patch *patch, FILE *stream) {
  size_t counts[PATCH_SKIPS] = {0};
  const char *before = "; not patched: ";
  for (size_t i = 0; i < patch->function_count; i++)
    counts[patch->functions[i].skip]++;
  fprintf(stream, "%zu function%s patched", patch->done,
          patch->done == 1 ? "" : "s");
  for (size_t i = PATCH_ALIAS + 1; i < PATCH_SKIPS; i++)
    if (counts[i]) {
      fprintf(stream, "%s%zu %s", before, counts[i], patch_skip_text[i]);
      before = "; ";
    }
  putc('\n', stream);
}

/* ---- the link unit ---- */

static const char *add_hex(struct buffer *name, char before,
                           struct bytes bytes) {
  char text[4];
  const char *error = buffer_append(name, &before, 1);
  for (size_t i = 0; i < bytes.size && !error; i++) {
    snprintf(text, sizeof text, "%02x", bytes.data[i]);
    error = buffer_append(name, text, 2);
  }
  return error;
}

static const char *add_functions(struct buffer *name,
                                 const struct patch *patch) {
  struct buffer names = {.limit = UNIT_MOST};
  unsigned char digest[16];
  const char *error = NULL;
  for (size_t i = 0; i < patch->function_count && !error; i++) {
    const char *text = patch->functions[i].name;
    if (!patch->functions[i].skip)
      error = buffer_append(&names, text, strlen(text) + 1);
  }
  if (!error) {
    md5(digest, names.data, names.size);
    error = add_hex(name, '+', (struct bytes){digest, sizeof digest});
  }
  buffer_free(&names);
  return error;
}

const char *patch_unit(struct patch *patch, const char *output,
                       const struct patch_choice *choice) {
  const char *slash = strrchr(output, '/');
  const char *base = slash ? slash + 1 : output;
  struct buffer name = {.limit = UNIT_MOST};
  struct bytes id;
  const char *error = buffer_append(&name, base, strlen(base));
  if (!error && elf_build_id(&patch->elf, &id))
    error = add_hex(&name, '@', id);
  if (!error && (choice->part_count || choice->name_count))
    error = add_functions(&name, patch);
  if (!error)
    error = buffer_append(&name, "", 1);
  if (!error)
    patch->hash = mip_module_hash((const char *)name.data);
  buffer_free(&name);
  return error;
}
