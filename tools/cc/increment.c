/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads calls of counting intrinsics and lowered increments in IR text, and
 * writes them with another width; and rewrites the files between a job's steps.
 * launch.c calls rewrite; flags.c, labels.c and narrow.c read increments.
 *
 * LLVM numbers values without a name in order. So every new value has a name,
 * and every existing value stays.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/file.h"
#include "../base/os.h"
#include "increment.h"
#include "launch.h"
#include "modes.h"

const char call_word[] = "  call void @llvm.instrprof.increment(";
static const char step_word[] = "  call void @llvm.instrprof.increment.step(";

long text_group(struct part line) {
  if (part_take(&line, "attributes #"))
    return strtol(line.at, NULL, 10);
  long group = -1;
  while (part_skip_to(&line, " #"))
    group = strtol(line.at, NULL, 10);
  return group;
}

uint64_t text_take_hash(struct part *text) {
  bool minus = part_take(text, "-");
  uint64_t sum = 0;
  for (; text->size && *text->at >= '0' && *text->at <= '9'; part_cut(text, 1))
    sum = sum * 10 + (uint64_t)(*text->at - '0');
  return minus ? 0 - sum : sum;
}

/* Returns the variable with the function's name, @__profn_f. */
static struct part text_profiled(struct part line) {
  while (line.size && !part_begins(line, "@__profn_") &&
         !part_begins(line, "@\"__profn_"))
    part_cut(&line, 1);
  return text_global(&line);
}

/* Reads the function and the hash after the parenthesis. */
static bool read_head(struct part *at, struct intrinsic_call *call) {
  call->before = *at;
  call->function = text_profiled(*at);
  bool typed = !part_take(at, "ptr ");
  if (typed && !part_take(at, "i8* getelementptr inbounds (["))
    return false;
  if (typed)
    part_cut(at, (size_t)(call->function.at - at->at));
  if (!call->function.size || call->function.at != at->at)
    return false;
  part_cut(at, call->function.size);
  if ((typed && !part_take(at, ", i32 0, i32 0)")) || !part_take(at, ", i64 "))
    return false;
  call->before.size -= at->size;
  call->hash = *at;
  if (!part_skip_to(at, ", i32 "))
    return false;
  call->hash.size -= at->size + strlen(", i32 ");
  return true;
}

/* Whether the text can end a call: a parenthesis, attributes and metadata. */
static bool is_end(struct part text) {
  uint64_t number;
  if (!part_take(&text, ")"))
    return false;
  if (part_take(&text, " #") && !part_take_number(&text, &number))
    return false;
  while (part_take(&text, ", !"))
    if (!part_skip_to(&text, " !") || !part_take_number(&text, &number))
      return false;
  return !text.size;
}

static bool read_call(struct part at, struct intrinsic_call *call) {
  if (!read_head(&at, call) || !part_take_number(&at, &call->counters) ||
      !part_take(&at, ", i32 ") || !part_take_number(&at, &call->index))
    return false;
  call->rest = at;
  return call->index < call->counters &&
         (is_end(at) || part_begins(at, ", i64 "));
}

bool call_read(struct part line, struct intrinsic_call *call) {
  return part_take(&line, call_word) && read_call(line, call) &&
         is_end(call->rest);
}

bool call_is_step(struct part line) { return part_begins(line, step_word); }

bool call_read_step(struct part line, struct intrinsic_call *call,
                    struct part *value) {
  if (!part_take(&line, step_word) || !read_call(line, call) ||
      !part_take(&call->rest, ", i64 "))
    return false;
  *value = call->rest;
  if (!part_skip_to(&call->rest, ")"))
    return false;
  value->size = (size_t)(call->rest.at - value->at) - 1;
  struct part end = {call->rest.at - 1, call->rest.size + 1};
  return is_end(end);
}

bool call_read_outcome(struct part line, struct outcome_call *outcome) {
  struct intrinsic_call *call = &outcome->call;
  uint64_t more;
  if (!part_take(&line, "  call void @llvm.instrprof.mcdc.tvbitmap.update(") ||
      !read_head(&line, call) || !part_take_number(&line, &call->index))
    return false;
  if (part_take(&line, ", i32 ") && part_take_number(&line, &more))
    return false; /* clang 18 */
  if (!part_take(&line, ", ptr "))
    return false;
  outcome->variable = call->rest = line;
  while (call->rest.size && *call->rest.at != ')')
    part_cut(&call->rest, 1);
  outcome->variable.size -= call->rest.size;
  return is_end(call->rest);
}

bool call_read_outcomes(struct part line, struct intrinsic_call *call) {
  if (!part_take(&line, "  call void @llvm.instrprof.mcdc.parameters(") ||
      !read_head(&line, call) || !part_take_number(&line, &call->index))
    return false;
  call->rest = line;
  return is_end(line);
}

void call_put_flag(FILE *out, const struct intrinsic_call *call,
                   uint64_t hash) {
  fputs("  call void @llvm.instrprof.cover(", out);
  part_put(out, call->before);
  fprintf(out, "%" PRId64 ", i32 %" PRIu64 ", i32 %" PRIu64, (int64_t)hash,
          call->counters, call->index);
  part_put(out, call->rest);
  fputc('\n', out);
}

/* Returns how often the block stands in the phi before this place. */
static size_t seen_before(struct part line, struct part from) {
  struct part other;
  size_t nth = 0;
  while (part_skip_to(&line, ", %") && line.at < from.at) {
    line.at--;
    line.size++;
    other = text_name(&line);
    nth += part_same(other, from) && part_begins(line, " ]");
  }
  return nth;
}

void phi_put(FILE *out, struct part line, const struct renaming *renaming) {
  struct part done = line, rest = line;
  while (part_skip_to(&rest, ", %")) {
    struct part name = {rest.at - 1, rest.size + 1}, from = text_name(&name);
    char again[40] = "";
    if (!part_begins(name, " ]"))
      continue;
    renaming->rename(renaming->context, from, seen_before(line, from), again);
    if (!*again)
      continue;
    part_put(out, (struct part){done.at, (size_t)(from.at - done.at)});
    fputs(again, out);
    done = rest = name;
  }
  part_put(out, done);
  fputc('\n', out);
}

enum { TEXT_LIMIT = 1 << 30 };

static const char *write_flags(struct rewriting *of, struct bytes file,
                               FILE *out) {
  struct flags *flags = &of->flags;
  flags->keeps = of->launch->keep_implied;
  flags->bytes = of->launch->outcomes == CC_OUTCOMES_BYTES;
  if (of->what == REWRITE_LOWERED)
    return flags_lowered(flags, file, out);
  const char *error = flags_module(flags, file, out);
  memcpy(of->where, flags->where, sizeof of->where);
  if (!error && of->launch->verbose)
    fprintf(stderr,
            "bareprof: %s: %zu byte counters, %zu implied by "
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
    fprintf(stderr, "bareprof: %s: %zu nops for trace points\n",
            job_source(of->job), labels->nops);
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
    return "clang writes the object to standard output, where --place=bss "
           "cannot change it; add -o FILE";
  if (!rewrite_places(rewriting) || counters < CC_32_PACKED)
    return NULL;
  return counters == CC_LABELS
             ? "clang writes bitcode, which cannot hold trace points; compile "
               "without -flto and -emit-llvm, or without --counters=trace"
             : "clang writes bitcode, where only 8-byte counters can be moved "
               "to .bss; compile without -flto, or without --counters";
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
    return report(to,
                  "cannot be written: %s; set TMPDIR to a folder with "
                  "free space",
                  os_error(errno));
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
  return failed ? report(to, "cannot be written: %s; free disk space",
                         os_error(errno))
                : 0;
}

/* Whether a lowered module has counters or a mapping. *bytes: the counters are
 * byte counters. *raw: the raw version that its clang writes, or 0. */
static bool has_profile(struct bytes module, bool *bytes, unsigned *raw) {
  bool any = *bytes = false;
  *raw = 0;
  for (struct bytes one; bytes_line(&module, &one);) {
    struct part line = {(const char *)one.data, one.size};
    if (!part_begins(line, "@")) {
      (void)check_compiler(line, raw);
      continue;
    }
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
  unsigned raw;
  if (file_read(&file, module, TEXT_LIMIT))
    return 1;
  bool any = has_profile(file.bytes, &bytes, &raw);
  file_close(&file);
  FILE *out = os_fopen(module, "a");
  if (out && any && (counters == CC_64 || counters >= CC_FLAGS))
    width_note(out,
               counters == CC_LABELS ? "trace"
               : bytes               ? "byte"
                                     : "64",
               0, name);
  if (out && any && rewriting->launch->cover.place == CC_BSS)
    width_note(out, "bss", raw, name);
  return out && !fclose(out)
             ? 0
             : report(module, "cannot be written: %s; free disk space",
                      os_error(errno));
}

/* ==== Increments. */

/* ---- the parts of a line ---- */

/* Cuts off a local name: % and characters up to a blank or comma, or a quoted
 * string. */
struct part text_name(struct part *text) {
  size_t size = 0;
  bool quoted = false;
  if (!part_begins(*text, "%"))
    return (struct part){text->at, 0};
  while (size < text->size &&
         (quoted || (text->at[size] != ' ' && text->at[size] != ','))) {
    quoted ^= text->at[size] == '"';
    size++;
  }
  return part_cut(text, size);
}

struct part text_global(struct part *text) {
  static const char others[] = "$._-";
  size_t size = 1;
  bool quoted = text->size > 1 && text->at[1] == '"';
  if (!part_begins(*text, "@"))
    return (struct part){text->at, 0};
  for (size += quoted; size < text->size; size++) {
    char c = text->at[size];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || (c && strchr(others, c));
    if (quoted ? c == '"' : !plain)
      break;
  }
  if (quoted && size < text->size)
    size++;
  return part_cut(text, size);
}

/* Cuts off an operand: up to a comma outside brackets and quotes, or to the end
 * of the line. */
static struct part take_operand(struct part *text) {
  size_t size = 0;
  unsigned depth = 0;
  bool quoted = false;
  for (; size < text->size; size++) {
    char c = text->at[size];
    quoted ^= c == '"';
    if (quoted)
      continue;
    if (c == ',' && depth == 0)
      break;
    depth += c == '(' || c == '[' || c == '{' || c == '<';
    if (depth > 0)
      depth -= c == ')' || c == ']' || c == '}' || c == '>';
  }
  return part_cut(text, size);
}

/* Cuts off a value: a name, or a number of at most 9 digits. */
static struct part take_value(struct part *text) {
  struct part digits;
  return part_match(text, NULL, "%d", &digits) ? digits : text_name(text);
}

/* For part_match: %n is a name, %v a value, %o an operand. */
static struct part take_kind(struct part *text, char letter) {
  struct part taken = letter == 'n'   ? text_name(text)
                      : letter == 'v' ? take_value(text)
                                      : take_operand(text);
  taken.size -= taken.size == 1 && *taken.at == '%';
  return taken;
}

static bool is_metadata(struct part text) {
  return text.size == 0 ||
         (part_begins(text, ", !") && !part_contains(text, "@"));
}

/* Cuts off ", align 8", or ", align 4" as on x86. Only metadata may follow. */
static bool take_align(struct part *text) {
  return (part_take(text, ", align 8") || part_take(text, ", align 4")) &&
         is_metadata(*text);
}

/* Whether the operand is a counter's address, or is computed from one. */
bool of_counter(struct part operand) {
  return part_contains(operand, "@__profc_") ||
         part_contains(operand, "@\"__profc_");
}

/* ---- increments ---- */

/* Divides a pointer operand into type and value. Returns the value. */
static struct part pointer_value(struct part pointer, struct part *type) {
  struct part value = pointer;
  /* "ptr", "i64*", "ptr addrspace(1)": a value begins with %, @ or a letter
   * after the type. */
  *type = (struct part){pointer.at, 0};
  while (value.size && *value.at != ' ')
    part_cut(&value, 1);
  if (part_begins(value, " addrspace("))
    while (value.size && *value.at != ')')
      part_cut(&value, 1);
  while (value.size && *value.at != ' ')
    part_cut(&value, 1);
  type->size = pointer.size - value.size;
  part_take(&value, " ");
  return value;
}

static bool is_pointer(struct part pointer) {
  struct part type, value = pointer_value(pointer, &type);
  return type.size > 0 && value.size > 0;
}

bool increment_is_of(const struct increment *increment, struct part moved) {
  struct part type, value = pointer_value(increment->pointer, &type);
  return of_counter(value) || (value.size && part_same(value, moved));
}

/* Reads "  %pgocount1 = load i64, ptr @__profc_f, align 8". */
static bool take_load(struct part line, struct increment *to) {
  bool is = part_match(&line, take_kind, "  %n = load i64, %o", &to->load,
                       &to->pointer) &&
            part_begins(to->load, "%pgocount") && is_pointer(to->pointer) &&
            take_align(&line);
  to->rest[0] = line;
  return is;
}

/* Reads "  %1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8". */
static bool take_atomic(struct part line, struct part moved,
                        struct increment *to) {
  if (!part_match(&line, take_kind, "  %n = atomicrmw add %o, i64 %v monotonic",
                  &to->result, &to->pointer, &to->step) ||
      !is_pointer(to->pointer) || part_begins(to->result, "%\"") ||
      !increment_is_of(to, moved) || !take_align(&line))
    return false;
  to->load = (struct part){0};
  to->rest[0] = to->rest[1] = to->rest[2] = line;
  return true;
}

/* After the load come "  %1 = add i64 %pgocount1, 1" and "  store i64 %1, ptr
 * @__profc_f, align 8". */
unsigned increment_read(struct increment *to, struct part line, const char *end,
                        struct part moved) {
  struct part again, pointer;
  if (take_atomic(line, moved, to))
    return 1;
  if (!take_load(line, to))
    return 0;
  line = line_after(line, end);
  to->rest[1] = line;
  if (!part_match(&to->rest[1], take_kind, "  %n = add i64 %n, %v", &to->result,
                  &again, &to->step) ||
      !part_same(again, to->load) || !is_metadata(to->rest[1]))
    return 0;
  to->rest[2] = line_after(line, end);
  return part_match(&to->rest[2], take_kind, "  store i64 %n, %o", &again,
                    &pointer) &&
                 part_same(again, to->result) &&
                 part_same(pointer, to->pointer) && take_align(&to->rest[2])
             ? 3
             : 0;
}

/* Whether the line counts in a way that increment_read does not know. */
bool counts_otherwise(struct part line) {
  struct increment increment;
  if (take_load(line, &increment))
    return true;
  return of_counter(line) && (part_contains(line, " = load i64, ") ||
                              (part_contains(line, " = atomicrmw ") &&
                               part_contains(line, ", i64 ")));
}

/* ---- 32-bit increments ---- */

/* A new value has the name of the load or of the atomic result, and a suffix.
 * The numbers of values without a name must not change. */
struct new_name {
  const char *before;
  struct part name;
  const char *after;
};
#define NEW(suffix) new.before, new.name, suffix, new.after
#define NEW_NAME "%s%p%s%s"

static struct new_name name_of(const struct increment *increment) {
  struct part name = increment->load;
  if (!name.size) {
    name = increment->result;
    part_cut(&name, 1);
    return (struct new_name){"%pgocount.of.", name, ""};
  }
  bool quoted = name.at[name.size - 1] == '"';
  name.size -= quoted;
  return (struct new_name){"", name, quoted ? "\"" : ""};
}

/* Writes the pointer to the low 32 bits, with its type. local: put_place has
 * computed it. */
static void put_pointer(FILE *out, const struct increment *increment,
                        const struct counting *how, bool local) {
  const struct new_name new = name_of(increment);
  struct part type, value = pointer_value(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  part_print(out, typed ? "i32* " : "%p ", type);
  if (local)
    part_print(out, NEW_NAME, NEW(".low"));
  else if (typed)
    part_print(out,
               how->big
                   ? "getelementptr (i32, i32* bitcast (%p to i32*), i32 1)"
                   : "bitcast (%p to i32*)",
               increment->pointer);
  else if (how->big)
    part_print(out, "getelementptr (i8, %p, i32 4)", increment->pointer);
  else
    part_put(out, value);
}

/* Writes the instructions that compute a local pointer, if it needs any.
 * Returns whether it does: then the pointer has the new name with .low. */
static bool put_place(FILE *out, const struct increment *increment, bool big) {
  const struct new_name new = name_of(increment);
  struct part type, value = pointer_value(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  if (!part_begins(value, "%") || (!typed && !big))
    return false;
  if (typed)
    part_print(out, "  " NEW_NAME " = bitcast %p to i32*\n",
               NEW(big ? ".words" : ".low"), increment->pointer);
  if (big && typed)
    part_print(out,
               "  " NEW_NAME " = getelementptr i32, i32* " NEW_NAME ", i32 1\n",
               NEW(".low"), NEW(".words"));
  else if (big)
    part_print(out, "  " NEW_NAME " = getelementptr i8, %p, i32 4\n",
               NEW(".low"), increment->pointer);
  return true;
}

static void put_step(FILE *out, const struct increment *increment) {
  const struct new_name new = name_of(increment);
  if (*increment->step.at != '%')
    part_put(out, increment->step);
  else
    part_print(out, NEW_NAME, NEW(".step"));
}

/* If an increment with a load becomes atomic, its sum stays, unused: the values
 * after it are numbered in order. */
void increment_put(FILE *out, const struct increment *increment,
                   const struct counting *how) {
  const struct new_name new = name_of(increment);
  const char *align = how->big || how->packed ? ", align 4" : ", align 8";
  const struct part *rest = increment->rest;
  bool local = put_place(out, increment, how->big);
  bool loads = increment->load.size > 0;
  struct part old = loads ? increment->load : increment->result;
  if (*increment->step.at == '%')
    part_print(out, "  " NEW_NAME " = trunc i64 %p to i32\n", NEW(".step"),
               increment->step);
  part_print(out, how->atomic ? "  %p = atomicrmw add " : "  %p = load i32, ",
             old);
  put_pointer(out, increment, how, local);
  if (how->atomic) {
    part_print(out, ", i32 ");
    put_step(out, increment);
    part_print(out, " monotonic");
  }
  part_print(out, "%s%p\n", align, rest[how->atomic ? 2 : 0]);
  if (how->atomic && !loads)
    return;
  if (loads)
    part_print(out, "  %p = add i32 %p, ", increment->result, old);
  else
    part_print(out, "  " NEW_NAME " = add i32 %p, ", NEW(".sum"), old);
  put_step(out, increment);
  part_print(out, "%p\n", rest[1]);
  if (how->atomic)
    return;
  if (loads)
    part_print(out, "  store i32 %p, ", increment->result);
  else
    part_print(out, "  store i32 " NEW_NAME ", ", NEW(".sum"));
  put_pointer(out, increment, how, local);
  part_print(out, "%s%p\n", align, rest[2]);
}
