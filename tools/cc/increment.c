/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads calls of counting intrinsics and lowered increments in IR text, and
 * writes them with another width; and rewrites the files between a job's steps.
 * launch.c calls rewrite; byte_counters.c, trace_ir.c and narrow.c read
 * increments.
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
#include "steps.h"

const char call_word[] = "  call void @llvm.instrprof.increment(";
static const char step_word[] = "  call void @llvm.instrprof.increment.step(";

long text_attribute_group(struct text_part line) {
  if (part_skip_word(&line, "attributes #"))
    return strtol(line.at, NULL, 10);
  long group = -1;
  while (part_skip_to(&line, " #"))
    group = strtol(line.at, NULL, 10);
  return group;
}

uint64_t text_parse_hash(struct text_part *text) {
  bool minus = part_skip_word(text, "-");
  uint64_t sum = 0;
  for (; text->size && *text->at >= '0' && *text->at <= '9';
       part_cut_front(text, 1))
    sum = sum * 10 + (uint64_t)(*text->at - '0');
  return minus ? 0 - sum : sum;
}

/* Returns the variable with the function's name, @__profn_f. */
static struct text_part find_profile_name(struct text_part line) {
  while (line.size && !part_starts_with(line, "@__profn_") &&
         !part_starts_with(line, "@\"__profn_"))
    part_cut_front(&line, 1);
  return text_cut_global(&line);
}

/* Reads the function and the hash after the parenthesis. */
static bool parse_call_head(struct text_part *at, struct intrinsic_call *call) {
  call->before = *at;
  call->function = find_profile_name(*at);
  bool typed = !part_skip_word(at, "ptr ");
  if (typed && !part_skip_word(at, "i8* getelementptr inbounds (["))
    return false;
  if (typed)
    part_cut_front(at, (size_t)(call->function.at - at->at));
  if (!call->function.size || call->function.at != at->at)
    return false;
  part_cut_front(at, call->function.size);
  if ((typed && !part_skip_word(at, ", i32 0, i32 0)")) ||
      !part_skip_word(at, ", i64 "))
    return false;
  call->before.size -= at->size;
  call->hash = *at;
  if (!part_skip_to(at, ", i32 "))
    return false;
  call->hash.size -= at->size + strlen(", i32 ");
  return true;
}

/* Whether the text can end a call: a parenthesis, attributes and metadata. */
static bool ends_call(struct text_part text) {
  uint64_t number;
  if (!part_skip_word(&text, ")"))
    return false;
  if (part_skip_word(&text, " #") && !part_parse_number(&text, &number))
    return false;
  while (part_skip_word(&text, ", !"))
    if (!part_skip_to(&text, " !") || !part_parse_number(&text, &number))
      return false;
  return !text.size;
}

static bool parse_call_numbers(struct text_part at,
                               struct intrinsic_call *call) {
  if (!parse_call_head(&at, call) || !part_parse_number(&at, &call->counters) ||
      !part_skip_word(&at, ", i32 ") || !part_parse_number(&at, &call->index))
    return false;
  call->rest = at;
  return call->index < call->counters &&
         (ends_call(at) || part_starts_with(at, ", i64 "));
}

bool call_parse_increment(struct text_part line, struct intrinsic_call *call) {
  return part_skip_word(&line, call_word) && parse_call_numbers(line, call) &&
         ends_call(call->rest);
}

bool call_is_step(struct text_part line) {
  return part_starts_with(line, step_word);
}

bool call_parse_step(struct text_part line, struct intrinsic_call *call,
                     struct text_part *value) {
  if (!part_skip_word(&line, step_word) || !parse_call_numbers(line, call) ||
      !part_skip_word(&call->rest, ", i64 "))
    return false;
  *value = call->rest;
  if (!part_skip_to(&call->rest, ")"))
    return false;
  value->size = (size_t)(call->rest.at - value->at) - 1;
  struct text_part end = {call->rest.at - 1, call->rest.size + 1};
  return ends_call(end);
}

bool call_parse_outcome(struct text_part line, struct outcome_call *outcome) {
  struct intrinsic_call *call = &outcome->call;
  uint64_t more;
  if (!part_skip_word(&line,
                      "  call void @llvm.instrprof.mcdc.tvbitmap.update(") ||
      !parse_call_head(&line, call) || !part_parse_number(&line, &call->index))
    return false;
  if (part_skip_word(&line, ", i32 ") && part_parse_number(&line, &more))
    return false; /* clang 18 */
  if (!part_skip_word(&line, ", ptr "))
    return false;
  outcome->variable = call->rest = line;
  while (call->rest.size && *call->rest.at != ')')
    part_cut_front(&call->rest, 1);
  outcome->variable.size -= call->rest.size;
  return ends_call(call->rest);
}

bool call_parse_bit_count(struct text_part line, struct intrinsic_call *call) {
  if (!part_skip_word(&line, "  call void @llvm.instrprof.mcdc.parameters(") ||
      !parse_call_head(&line, call) || !part_parse_number(&line, &call->index))
    return false;
  call->rest = line;
  return ends_call(line);
}

void call_print_byte_store(FILE *out, const struct intrinsic_call *call,
                           uint64_t hash) {
  fputs("  call void @llvm.instrprof.cover(", out);
  part_print_text(out, call->before);
  fprintf(out, "%" PRId64 ", i32 %" PRIu64 ", i32 %" PRIu64, (int64_t)hash,
          call->counters, call->index);
  part_print_text(out, call->rest);
  fputc('\n', out);
}

/* Returns how often the block stands in the phi before this place. */
static size_t count_earlier_names(struct text_part line,
                                  struct text_part from) {
  struct text_part other;
  size_t nth = 0;
  while (part_skip_to(&line, ", %") && line.at < from.at) {
    line.at--;
    line.size++;
    other = text_cut_local(&line);
    nth += part_equals(other, from) && part_starts_with(line, " ]");
  }
  return nth;
}

void phi_print(FILE *out, struct text_part line,
               const struct phi_renaming *renaming) {
  struct text_part done = line, rest = line;
  while (part_skip_to(&rest, ", %")) {
    struct text_part name = {rest.at - 1, rest.size + 1},
                     from = text_cut_local(&name);
    char again[40] = "";
    if (!part_starts_with(name, " ]"))
      continue;
    renaming->rename(renaming->context, from, count_earlier_names(line, from),
                     again);
    if (!*again)
      continue;
    part_print_text(out,
                    (struct text_part){done.at, (size_t)(from.at - done.at)});
    fputs(again, out);
    done = rest = name;
  }
  part_print_text(out, done);
  fputc('\n', out);
}

enum { TEXT_LIMIT = 1 << 30 };

static const char *rewrite_byte_counters(struct rewriter *of, struct bytes file,
                                         FILE *out) {
  struct byte_counters *flags = &of->flags;
  flags->keeps = of->launch->keep_implied;
  flags->bytes = of->launch->outcomes == CC_OUTCOMES_BYTES;
  if (of->what == REWRITE_LOWERED)
    return byte_counters_finish(flags, file, out);
  const char *error = byte_counters_insert(flags, file, out);
  memcpy(of->where, flags->where, sizeof of->where);
  if (!error && of->launch->verbose)
    fprintf(stderr,
            "bareprof: %s: %zu byte counters, %zu implied by "
            "others\n",
            job_source_name(of->job), flags->flags, flags->dropped);
  return error;
}

static const char *rewrite_narrow(const struct rewriter *of, struct bytes file,
                                  FILE *out) {
  const unsigned counters = of->launch->counters;
  bool packed = counters == CC_32_PACKED;
  struct narrowing narrow = {.packed = packed,
                             .atomic = counters == CC_AUTO || packed
                                           ? of->job->atomic
                                           : counters == CC_32_ATOMIC};
  const char *error = narrow_module(&narrow, file, out);
  if (!error && of->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu increments of 32 bits%s, %zu of 64\n",
            job_source_name(of->job), narrow.narrowed,
            narrow.atomic ? ", atomic" : "", narrow.left);
  return error;
}

static const char *rewrite_trace_points(struct rewriter *of, struct bytes file,
                                        FILE *out) {
  struct trace_points *labels = &of->labels;
  if (of->what == REWRITE_MODULE)
    return trace_points_insert(labels, file, out);
  if (of->what == REWRITE_LOWERED)
    return trace_points_finish(labels, file, out);
  const char *error = trace_points_assemble(labels, file, out);
  if (!error && of->launch->verbose)
    fprintf(stderr, "bareprof: %s: %zu nops for trace points\n",
            job_source_name(of->job), labels->nops);
  return error;
}

static const char *rewrite_text(struct rewriter *of, struct bytes file,
                                FILE *out) {
  if (of->what == REWRITE_PLACE)
    return place_module(file, out);
  switch (of->launch->counters) {
  case CC_TRACE:
    return rewrite_trace_points(of, file, out);
  case CC_BYTES:
    return rewrite_byte_counters(of, file, out);
  default:
    return rewrite_narrow(of, file, out);
  }
}

const char *rewrite_find_refusal(const struct rewriter *rewriting) {
  const unsigned counters = rewriting->launch->counters;
  const struct job *job = rewriting->job;
  if (rewriting->launch->cover.place == CC_BSS && job->object &&
      strcmp(job->output, "-") == 0)
    return "clang writes the object to standard output, where --place=bss "
           "cannot change it; add -o FILE";
  if (!rewrite_places_module(rewriting) || counters < CC_32_PACKED)
    return NULL;
  return counters == CC_TRACE
             ? "clang writes bitcode, which cannot hold trace points; compile "
               "without -flto and -emit-llvm, or without --counters=trace"
             : "clang writes bitcode, where only 8-byte counters can be moved "
               "to .bss; compile without -flto, or without --counters";
}

bool rewrite_places_module(const struct rewriter *rewriting) {
  return rewriting->launch->cover.place == CC_BSS &&
         job_is_bitcode(rewriting->job);
}

int rewrite_file(struct rewriter *rewriting, enum rewrite_step what,
                 const char *from, const char *to) {
  struct file file;
  bool piped = strcmp(to, "-") == 0;
  FILE *out = piped ? stdout : os_fopen(to, "w");
  if (!out)
    return report(to,
                  "cannot be written: %s; set TMPDIR to a folder with "
                  "free space",
                  os_error_text(errno));
  if (file_read(&file, from, TEXT_LIMIT)) {
    if (!piped)
      fclose(out);
    return 1;
  }
  rewriting->what = what;
  const char *error = rewrite_text(rewriting, file.bytes, out);
  file_close(&file);
  bool failed = ferror(out);
  failed |= (piped ? fflush : fclose)(out) != 0;
  if (error)
    return report(job_source_name(rewriting->job), "%s%s%s", rewriting->where,
                  *rewriting->where ? ": " : "", error);
  return failed ? report(to, "cannot be written: %s; free disk space",
                         os_error_text(errno))
                : 0;
}

/* Whether a lowered module has counters or a mapping. *bytes: the counters are
 * byte counters. *raw: the raw version that its clang writes, or 0. */
static bool find_profile(struct bytes module, bool *bytes, unsigned *raw) {
  bool any = *bytes = false;
  *raw = 0;
  for (struct bytes one; bytes_next_line(&module, &one);) {
    struct text_part line = {(const char *)one.data, one.size};
    if (!part_starts_with(line, "@")) {
      (void)cc_check_compiler(line, raw);
      continue;
    }
    bool counters = part_contains(line, "section \"__llvm_prf_cnts\"");
    any |= counters || part_starts_with(line, "@__llvm_coverage_mapping");
    *bytes |= counters && part_contains(line, " x i8] ");
  }
  return any;
}

int rewrite_append_notes(const struct rewriter *rewriting, const char *module) {
  const unsigned counters = rewriting->launch->counters;
  const char *source = job_source_name(rewriting->job);
  const struct bytes name = {(const unsigned char *)source, strlen(source)};
  struct file file;
  bool bytes;
  unsigned raw;
  if (file_read(&file, module, TEXT_LIMIT))
    return 1;
  bool any = find_profile(file.bytes, &bytes, &raw);
  file_close(&file);
  FILE *out = os_fopen(module, "a");
  if (out && any && (counters == CC_64 || counters >= CC_BYTES))
    narrow_print_width_note(out,
                            counters == CC_TRACE ? "trace"
                            : bytes              ? "byte"
                                                 : "64",
                            0, name);
  if (out && any && rewriting->launch->cover.place == CC_BSS)
    narrow_print_width_note(out, "bss", raw, name);
  return out && !fclose(out)
             ? 0
             : report(module, "cannot be written: %s; free disk space",
                      os_error_text(errno));
}

/* ==== Increments. */

/* ---- the parts of a line ---- */

/* Cuts off a local name: % and characters up to a blank or comma, or a quoted
 * string. */
struct text_part text_cut_local(struct text_part *text) {
  size_t size = 0;
  bool quoted = false;
  if (!part_starts_with(*text, "%"))
    return (struct text_part){text->at, 0};
  while (size < text->size &&
         (quoted || (text->at[size] != ' ' && text->at[size] != ','))) {
    quoted ^= text->at[size] == '"';
    size++;
  }
  return part_cut_front(text, size);
}

struct text_part text_cut_global(struct text_part *text) {
  static const char others[] = "$._-";
  size_t size = 1;
  bool quoted = text->size > 1 && text->at[1] == '"';
  if (!part_starts_with(*text, "@"))
    return (struct text_part){text->at, 0};
  for (size += quoted; size < text->size; size++) {
    char c = text->at[size];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 (c >= '0' && c <= '9') || (c && strchr(others, c));
    if (quoted ? c == '"' : !plain)
      break;
  }
  if (quoted && size < text->size)
    size++;
  return part_cut_front(text, size);
}

/* Cuts off an operand: up to a comma outside brackets and quotes, or to the end
 * of the line. */
static struct text_part parse_operand(struct text_part *text) {
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
  return part_cut_front(text, size);
}

/* Cuts off a value: a name, or a number of at most 9 digits. */
static struct text_part parse_value(struct text_part *text) {
  struct text_part digits;
  return part_match(text, NULL, "%d", &digits) ? digits : text_cut_local(text);
}

/* For part_match: %n is a name, %v a value, %o an operand. */
static struct text_part parse_operand_kind(struct text_part *text,
                                           char letter) {
  struct text_part taken = letter == 'n'   ? text_cut_local(text)
                           : letter == 'v' ? parse_value(text)
                                           : parse_operand(text);
  taken.size -= taken.size == 1 && *taken.at == '%';
  return taken;
}

static bool is_metadata(struct text_part text) {
  return text.size == 0 ||
         (part_starts_with(text, ", !") && !part_contains(text, "@"));
}

/* Cuts off ", align 8", or ", align 4" as on x86. Only metadata may follow. */
static bool parse_alignment(struct text_part *text) {
  return (part_skip_word(text, ", align 8") ||
          part_skip_word(text, ", align 4")) &&
         is_metadata(*text);
}

/* Whether the operand is a counter's address, or is computed from one. */
bool text_names_counter(struct text_part operand) {
  return part_contains(operand, "@__profc_") ||
         part_contains(operand, "@\"__profc_");
}

/* ---- increments ---- */

/* Divides a pointer operand into type and value. Returns the value. */
static struct text_part split_pointer(struct text_part pointer,
                                      struct text_part *type) {
  struct text_part value = pointer;
  /* "ptr", "i64*", "ptr addrspace(1)": a value begins with %, @ or a letter
   * after the type. */
  *type = (struct text_part){pointer.at, 0};
  while (value.size && *value.at != ' ')
    part_cut_front(&value, 1);
  if (part_starts_with(value, " addrspace("))
    while (value.size && *value.at != ')')
      part_cut_front(&value, 1);
  while (value.size && *value.at != ' ')
    part_cut_front(&value, 1);
  type->size = pointer.size - value.size;
  part_skip_word(&value, " ");
  return value;
}

static bool is_typed_pointer(struct text_part pointer) {
  struct text_part type, value = split_pointer(pointer, &type);
  return type.size > 0 && value.size > 0;
}

bool increment_has_counter(const struct increment *increment,
                           struct text_part moved) {
  struct text_part type, value = split_pointer(increment->pointer, &type);
  return text_names_counter(value) || (value.size && part_equals(value, moved));
}

/* Reads "  %pgocount1 = load i64, ptr @__profc_f, align 8". */
static bool parse_load(struct text_part line, struct increment *to) {
  bool is = part_match(&line, parse_operand_kind, "  %n = load i64, %o",
                       &to->load, &to->pointer) &&
            part_starts_with(to->load, "%pgocount") &&
            is_typed_pointer(to->pointer) && parse_alignment(&line);
  to->rest[0] = line;
  return is;
}

/* Reads "  %1 = atomicrmw add ptr @__profc_f, i64 1 monotonic, align 8". */
static bool parse_atomic(struct text_part line, struct text_part moved,
                         struct increment *to) {
  if (!part_match(&line, parse_operand_kind,
                  "  %n = atomicrmw add %o, i64 %v monotonic", &to->result,
                  &to->pointer, &to->step) ||
      !is_typed_pointer(to->pointer) || part_starts_with(to->result, "%\"") ||
      !increment_has_counter(to, moved) || !parse_alignment(&line))
    return false;
  to->load = (struct text_part){0};
  to->rest[0] = to->rest[1] = to->rest[2] = line;
  return true;
}

/* After the load come "  %1 = add i64 %pgocount1, 1" and "  store i64 %1, ptr
 * @__profc_f, align 8". */
unsigned increment_parse(struct increment *to, struct text_part line,
                         const char *end, struct text_part moved) {
  struct text_part again, pointer;
  if (parse_atomic(line, moved, to))
    return 1;
  if (!parse_load(line, to))
    return 0;
  line = part_next_line(line, end);
  to->rest[1] = line;
  if (!part_match(&to->rest[1], parse_operand_kind, "  %n = add i64 %n, %v",
                  &to->result, &again, &to->step) ||
      !part_equals(again, to->load) || !is_metadata(to->rest[1]))
    return 0;
  to->rest[2] = part_next_line(line, end);
  return part_match(&to->rest[2], parse_operand_kind, "  store i64 %n, %o",
                    &again, &pointer) &&
                 part_equals(again, to->result) &&
                 part_equals(pointer, to->pointer) &&
                 parse_alignment(&to->rest[2])
             ? 3
             : 0;
}

/* Whether the line counts in a way that increment_parse does not know. */
bool increment_is_unknown(struct text_part line) {
  struct increment increment;
  if (parse_load(line, &increment))
    return true;
  return text_names_counter(line) && (part_contains(line, " = load i64, ") ||
                                      (part_contains(line, " = atomicrmw ") &&
                                       part_contains(line, ", i64 ")));
}

/* ---- 32-bit increments ---- */

/* A new value has the name of the load or of the atomic result, and a suffix.
 * The numbers of values without a name must not change. */
struct value_name {
  const char *before;
  struct text_part name;
  const char *after;
};
#define NEW(suffix) new.before, new.name, suffix, new.after
#define NEW_NAME "%s%p%s%s"

static struct value_name make_new_name(const struct increment *increment) {
  struct text_part name = increment->load;
  if (!name.size) {
    name = increment->result;
    part_cut_front(&name, 1);
    return (struct value_name){"%pgocount.of.", name, ""};
  }
  bool quoted = name.at[name.size - 1] == '"';
  name.size -= quoted;
  return (struct value_name){"", name, quoted ? "\"" : ""};
}

/* Writes the pointer to the low 32 bits, with its type. local:
 * print_local_pointer has computed it. */
static void print_low_pointer(FILE *out, const struct increment *increment,
                              const struct increment_style *how, bool local) {
  const struct value_name new = make_new_name(increment);
  struct text_part type, value = split_pointer(increment->pointer, &type);
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
    part_print_text(out, value);
}

/* Writes the instructions that compute a local pointer, if it needs any.
 * Returns whether it does: then the pointer has the new name with .low. */
static bool print_local_pointer(FILE *out, const struct increment *increment,
                                bool big) {
  const struct value_name new = make_new_name(increment);
  struct text_part type, value = split_pointer(increment->pointer, &type);
  bool typed = type.at[type.size - 1] == '*';
  if (!part_starts_with(value, "%") || (!typed && !big))
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

static void print_step_value(FILE *out, const struct increment *increment) {
  const struct value_name new = make_new_name(increment);
  if (*increment->step.at != '%')
    part_print_text(out, increment->step);
  else
    part_print(out, NEW_NAME, NEW(".step"));
}

/* If an increment with a load becomes atomic, its sum stays, unused: the values
 * after it are numbered in order. */
void increment_print(FILE *out, const struct increment *increment,
                     const struct increment_style *how) {
  const struct value_name new = make_new_name(increment);
  const char *align = how->big || how->packed ? ", align 4" : ", align 8";
  const struct text_part *rest = increment->rest;
  bool local = print_local_pointer(out, increment, how->big);
  bool loads = increment->load.size > 0;
  struct text_part old = loads ? increment->load : increment->result;
  if (*increment->step.at == '%')
    part_print(out, "  " NEW_NAME " = trunc i64 %p to i32\n", NEW(".step"),
               increment->step);
  part_print(out, how->atomic ? "  %p = atomicrmw add " : "  %p = load i32, ",
             old);
  print_low_pointer(out, increment, how, local);
  if (how->atomic) {
    part_print(out, ", i32 ");
    print_step_value(out, increment);
    part_print(out, " monotonic");
  }
  part_print(out, "%s%p\n", align, rest[how->atomic ? 2 : 0]);
  if (how->atomic && !loads)
    return;
  if (loads)
    part_print(out, "  %p = add i32 %p, ", increment->result, old);
  else
    part_print(out, "  " NEW_NAME " = add i32 %p, ", NEW(".sum"), old);
  print_step_value(out, increment);
  part_print(out, "%p\n", rest[1]);
  if (how->atomic)
    return;
  if (loads)
    part_print(out, "  store i32 %p, ", increment->result);
  else
    part_print(out, "  store i32 " NEW_NAME ", ", NEW(".sum"));
  print_low_pointer(out, increment, how, local);
  part_print(out, "%s%p\n", align, rest[2]);
}
