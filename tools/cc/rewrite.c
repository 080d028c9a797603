/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */
#include "launch.h"

#include <errno.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "increment.h"
#include "modes.h"

enum { TEXT_LIMIT = 1 << 30 };

static const char *write_flags(struct rewriting *of, struct bytes file,
                               FILE *out) {
  struct flags *flags = &of->flags;
  flags->keeps = of->launch->keep_flags;
  flags->bytes = of->launch->outcomes == CC_OUTCOMES_BYTES;
  if (of->what == REWRITE_LOWERED)
    return flags_lowered(flags, file, out);
  const char *error = flags_module(flags, file, out);
  memcpy(of->where, flags->where, sizeof of->where);
  if (!error && of->launch->verbose)
    fprintf(stderr,
            "bareprof: %s: %zu flags, %zu places whose flags follow from "
            "others\n",
            job_source(of->job), flags->flags, flags->dropped);
  return error;
}

static const char *write_narrow(const struct rewriting *of, struct bytes file,
                                FILE *out) {
  const unsigned counters = of->launch->counters;
  bool packed = counters == CC_32_PACKED;
  struct narrow narrow = {.packed = packed,
                          .atomic = counters == CC_AUTO || packed
                                        ? of->job->atomic
                                        : counters == CC_32_ATOMIC};
  const char *error = narrow_module(&narrow, file, out);
  if (!error && of->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu increments of 32 bits%s, %zu of 64\n",
            job_source(of->job), narrow.narrowed,
            narrow.atomic ? ", atomic" : "", narrow.left);
  return error;
}

static const char *write_labels(struct rewriting *of, struct bytes file,
                                FILE *out) {
  struct labels *labels = &of->labels;
  if (of->what == REWRITE_MODULE)
    return labels_module(labels, file, out);
  if (of->what == REWRITE_LOWERED)
    return labels_lowered(labels, file, out);
  const char *error = labels_assembly(labels, file, out);
  if (!error && of->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu nops for labels\n", job_source(of->job),
            labels->nops);
  return error;
}

static const char *write_text(struct rewriting *of, struct bytes file,
                              FILE *out) {
  if (of->what == REWRITE_PLACE)
    return place_module(file, out);
  switch (of->launch->counters) {
  case CC_LABELS:
    return write_labels(of, file, out);
  case CC_FLAGS:
    return write_flags(of, file, out);
  default:
    return write_narrow(of, file, out);
  }
}

const char *rewrite_refuses(const struct rewriting *rewriting) {
  const unsigned counters = rewriting->launch->counters;
  const struct job *job = rewriting->job;
  if (rewriting->launch->cover.place == CC_BSS && job->object &&
      strcmp(job->output, "-") == 0)
    return "its object goes to standard output, where --place=bss cannot "
           "change it; give -o FILE";
  if (!rewrite_places(rewriting) || counters < CC_32_PACKED)
    return NULL;
  return counters == CC_LABELS
             ? "it is compiled to bitcode, which has no labels; compile "
               "without -flto and -emit-llvm, or without --counters=labels"
             : "it is compiled to bitcode, where only counters of 8 bytes can "
               "be placed; compile without -flto, or without --counters";
}

bool rewrite_places(const struct rewriting *rewriting) {
  return rewriting->launch->cover.place == CC_BSS &&
         job_is_bitcode(rewriting->job);
}

int rewrite(struct rewriting *rewriting, enum rewrite_what what,
            const char *from, const char *to) {
  struct file file;
  bool piped = strcmp(to, "-") == 0;
  FILE *out = piped ? stdout : os_fopen(to, "w");
  if (!out)
    return report(to, "cannot be written: %s; set TMPDIR", os_error(errno));
  if (file_read(&file, from, TEXT_LIMIT)) {
    if (!piped)
      fclose(out);
    return 1;
  }
  rewriting->what = what;
  const char *error = write_text(rewriting, file.bytes, out);
  file_close(&file);
  bool failed = ferror(out);
  failed |= (piped ? fflush : fclose)(out) != 0;
  if (error)
    return report(job_source(rewriting->job), "%s%s%s", rewriting->where,
                  *rewriting->where ? ": " : "", error);
  return failed ? report(to, "cannot be written: %s; free the disk",
                         os_error(errno))
                : 0;
}

/* Whether a lowered module has counters or a mapping; bytes: of one byte. */
static bool has_profile(struct bytes module, bool *bytes) {
  bool any = *bytes = false;
  for (struct bytes one; bytes_line(&module, &one);) {
    struct part line = {(const char *)one.data, one.size};
    if (!part_begins(line, "@"))
      continue;
    bool counters = part_contains(line, "section \"__llvm_prf_cnts\"");
    any |= counters || part_begins(line, "@__llvm_coverage_mapping");
    *bytes |= counters && part_contains(line, " x i8] ");
  }
  return any;
}

int rewrite_note(const struct rewriting *rewriting, const char *module) {
  const unsigned counters = rewriting->launch->counters;
  const char *source = job_source(rewriting->job);
  const struct bytes name = {(const unsigned char *)source, strlen(source)};
  struct file file;
  bool bytes;
  if (file_read(&file, module, TEXT_LIMIT))
    return 1;
  bool any = has_profile(file.bytes, &bytes);
  file_close(&file);
  FILE *out = os_fopen(module, "a");
  if (out && any && (counters == CC_64 || counters >= CC_FLAGS))
    width_note(out,
               counters == CC_LABELS ? "trace"
               : bytes               ? "byte"
                                     : "64",
               0, name);
  if (out && any && rewriting->launch->cover.place == CC_BSS)
    width_note(out, "bss", 0, name);
  return out && !fclose(out) ? 0
                             : report(module, "cannot be written: %s; free the "
                                              "disk",
                                      os_error(errno));
}
