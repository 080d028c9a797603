/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What --coverage, --include, --ignore and --place=bss add to the driver's jobs
 * and outputs; and MC/DC with byte counters. launch.c and byte_counters.c call
 * this.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/ere.h"
#include "../base/error.h"
#include "../base/file.h"
#include "../base/map.h"
#include "../base/os.h"
#include "byte_counters.h"
#include "increment.h"
#include "steps.h"

enum { OBJECT_LIMIT = 1 << 30, NAKED_SHOWN = 80 };

const char *const cc_places[] = {"auto", "sections", "bss", NULL};
const char *const cc_coverages[] = {"none", "lines", "mcdc", NULL};

void cc_add_coverage_options(const struct coverage_options *cover,
                             struct argument_list *arguments) {
  if (cover->coverage != CC_ASKED) {
    arguments_append(arguments, "-fprofile-instr-generate");
    arguments_append(arguments, "-fcoverage-mapping");
  }
  if (cover->coverage == CC_MCDC)
    arguments_append(arguments, "-fcoverage-mcdc");
}

void cc_print_coverage(const struct coverage_options *cover) {
  printf("place %s\ncoverage %s\n", cc_places[cover->place],
         cc_coverages[cover->coverage]);
  for (size_t i = 0; i < cover->measure_count; i++)
    printf("measure %s\n", cover->measure[i]);
  for (size_t i = 0; i < cover->leave_count; i++)
    printf("leave %s\n", cover->leave[i]);
}

/* ---- which sources ---- */

/* Whether a pattern matches the source. *error: a pattern is not a regular
 * expression. */
static bool matches_any_pattern(const char *const *patterns, size_t count,
                                const char *source, const char **error) {
  bool found = false;
  for (size_t i = 0; i < count && !found && !*error; i++) {
    struct ere ere = {0};
    *error = ere_compile(&ere, patterns[i]);
    found = !*error && ere_matches(&ere, source);
    ere_free(&ere);
  }
  return found;
}

/* Removes arguments from a job. Returns whether it removed any. */
static bool remove_arguments(struct job *job,
                             bool (*drops)(const char *argument)) {
  struct argument_list *arguments = &job->arguments;
  size_t kept = 0, count = arguments->count;
  for (size_t i = 0; i < count; i++) {
    char *argument = arguments->list[i];
    if (drops(argument))
      free(argument);
    else
      arguments->list[kept++] = argument;
  }
  arguments->count = kept;
  arguments->list[kept] = NULL;
  return kept != count;
}

static bool is_counter_option(const char *argument) {
  return text_starts_with(argument, "-fprofile-instrument") ||
         text_starts_with(argument, "-fprofile-update=") ||
         strcmp(argument, "-fcoverage-mapping") == 0 ||
         strcmp(argument, "-fcoverage-mcdc") == 0;
}

/* Whether the argument links clang's runtime, which needs an operating
 * system. */
static bool is_runtime_argument(const char *argument) {
  return strstr(argument, "clang_rt.profile") ||
         strcmp(argument, "-u__llvm_profile_runtime") == 0;
}

/* Adds options to an IR PGO job, unless the user chose: no value profiling,
 * which needs a runtime on the target; and no counters in registers in loops,
 * which cost small cores more. */
static void add_ir_pgo_options(struct job *job) {
  static const char *const options[] = {"disable-vp", "do-counter-promotion"};
  static const char *const values[] = {"true", "false"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    char text[64];
    bool given = false;
    for (size_t k = 0; k < job->arguments.count; k++)
      given |= strstr(job->arguments.list[k], options[i]) != NULL;
    if (given)
      continue;
    snprintf(text, sizeof text, "-%s=%s", options[i], values[i]);
    job_insert_option(job, "-mllvm", text);
  }
}

static bool has_counters(const struct job *job) {
  bool found = job->kind != JOB_OTHER;
  for (size_t i = 0; i < job->arguments.count; i++)
    found |= text_starts_with(job->arguments.list[i], "-fprofile-instrument");
  return found;
}

/* Returns the source of a job. With -save-temps, the job's input is a file that
 * an earlier job wrote. */
static const char *find_job_source(const struct jobs *jobs, size_t number) {
  const char *name = jobs->list[number].input;
  while (number--) {
    const struct job *earlier = &jobs->list[number];
    if (earlier->input && earlier->output && strcmp(earlier->output, name) == 0)
      name = earlier->input;
  }
  return name;
}

const char *cc_choose_sources(const struct coverage_options *cover,
                              struct jobs *jobs, bool *changed) {
  const char *error = NULL;
  for (size_t i = 0; i < jobs->count && !error; i++) {
    struct job *job = &jobs->list[i];
    const char *source = job->input ? find_job_source(jobs, i) : NULL;
    if (source && has_counters(job) &&
        ((cover->measure_count &&
          !matches_any_pattern(cover->measure, cover->measure_count, source,
                               &error)) ||
         matches_any_pattern(cover->leave, cover->leave_count, source,
                             &error))) {
      remove_arguments(job, is_counter_option);
      job->kind = JOB_OTHER;
      *changed = true;
    }
    if (cover->place != CC_BSS)
      continue;
    if (job->kind == JOB_PROMOTES)
      add_ir_pgo_options(job);
    if (remove_arguments(job, is_runtime_argument) ||
        job->kind == JOB_PROMOTES || job->assembles)
      *changed = true;
  }
  return error;
}

/* ---- naked functions ---- */

static bool next_module_line(struct bytes *module, struct text_part *line) {
  struct bytes one;
  if (!bytes_next_line(module, &one))
    return false;
  *line = (struct text_part){(const char *)one.data, one.size};
  return true;
}

/* Marks the attribute groups with `naked`. Returns whether there are any. */
static bool mark_naked_groups(struct bytes module, bool groups[], long most) {
  struct text_part line;
  bool any = false;
  while (next_module_line(&module, &line)) {
    long group = part_starts_with(line, "attributes #")
                     ? text_attribute_group(line)
                     : -1;
    if (group < 0 || !part_contains(line, " naked "))
      continue;
    if (group < most)
      any = groups[group] = true;
  }
  return any;
}

/* Returns the name of the function that a line defines. */
static struct text_part parse_defined_name(struct text_part line) {
  while (line.size && *line.at != '@')
    part_cut_front(&line, 1);
  struct text_part name = text_cut_global(&line);
  part_skip_word(&name, "@");
  if (part_skip_word(&name, "\""))
    name.size--;
  return name;
}

size_t cc_list_naked_functions(struct bytes module, FILE *list,
                               char names[100]) {
  enum { GROUPS = 4096 };
  bool groups[GROUPS] = {false}, naked = false;
  struct text_part line, name = {NULL, 0};
  size_t count = 0, used = 0;
  names[0] = 0;
  if (!mark_naked_groups(module, groups, GROUPS))
    return 0;
  while (next_module_line(&module, &line)) {
    if (part_starts_with(line, "define ")) {
      long group = text_attribute_group(line);
      naked = group >= 0 && group < GROUPS && groups[group];
      name = parse_defined_name(line);
    }
    if (!naked || !part_contains(line, "call void @llvm.instrprof."))
      continue;
    naked = false; /* one entry per function */
    fprintf(list, "!fun:%.*s\n", (int)name.size, name.at);
    if (used + name.size < NAKED_SHOWN)
      used += (size_t)snprintf(names + used, 100 - used, "%s%.*s",
                               count ? ", " : "", (int)name.size, name.at);
    count++;
  }
  return count;
}

/* ---- objects ---- */

static int write_object_file(const char *name, const struct buffer *object) {
  struct output_file output;
  file_forget_known();
  if (output_open(&output, name))
    return 1;
  fwrite(object->data, 1, object->size, output.stream);
  return output_commit(&output);
}

int cc_place_output(const struct job *job, const char *source,
                    const struct place_options *how) {
  struct os_file_info facts;
  struct file file;
  struct placed_sizes place = {.labels = how->labels};
  struct buffer object = {.limit = OBJECT_LIMIT};
  if (!job->output || !os_stat(job->output, &facts) || facts.kind != OS_FILE)
    return 0;
  if (file_read(&file, job->output, OBJECT_LIMIT))
    return 1;
  bool is_object = place_is_object(file.bytes);
  bool bitcode = job->kind == JOB_PROMOTES && job->object &&
                 file.bytes.size > 1 && memcmp(file.bytes.data, "BC", 2) == 0;
  const char *error =
      is_object ? buffer_append_bytes(&object, file.bytes.data, file.bytes.size)
                : NULL;
  file_close(&file);
  if (bitcode)
    error = "clang writes bitcode, where counters of -fprofile-generate cannot "
            "be moved to .bss; compile without -flto, or without --place=bss";
  if (is_object && !error)
    error = place_object(&place, &object);
  int status = error ? report(source, "%s", error) : 0;
  if (!status && is_object && object.size != file.bytes.size)
    status = write_object_file(job->output, &object);
  if (!status && is_object && how->verbose)
    fprintf(stderr,
            "bareprof: %s: %llu bytes of counters and %llu of bitmaps in %s, "
            "%llu in .data\n",
            source, (unsigned long long)place.counters,
            (unsigned long long)place.bitmaps,
            how->labels ? "no memory" : ".bss", (unsigned long long)place.data);
  buffer_free(&object);
  return status;
}

/* ==== MC/DC with bytes: one byte counter for each bit, after the function's
 * other byte counters. The record's BitmapPtr then equals its CounterPtr, as a
 * mark for the host tool: see record_has_mcdc_bytes in ../image/image.h.
 *
 * Before clang lowers its intrinsics, the call that stores an outcome becomes a
 * store to the decision's first byte, after a load of the outcome's number:
 *
 *   %bareprof.m0 = load i32, ptr %7
 *   call void @llvm.instrprof.cover(ptr @__profn_f, i64 1234, i32 17, i32 9)
 *
 * clang lowers the call to a store at ADDRESS. Then the outcome's number is
 * added to the address:
 *
 *   %bareprof.a0 = getelementptr i8, ptr ADDRESS, i32 %bareprof.m0
 *   store i8 0, ptr %bareprof.a0, align 1
 *
 * clang's bitmap is left out. Another object may have bits for the same
 * function, or other byte counters, in a comdat of the same name. So the names
 * of counters and function data include the hash that identifies the byte
 * counters: linkers keep both, and the code of each object uses its own. */

static const char index_word[] = "  %bareprof.m";

/* ---- before the lowering ---- */

const char *byte_mcdc_note_bits(struct byte_counter_reader *reader,
                                const struct intrinsic_call *call) {
  struct function_counters *function = byte_find_function(reader, call);
  if (!function)
    return byte_counters_unknown;
  function->bits = call->index;
  return call->index <= COUNTERS_MOST
             ? NULL
             : "a function has more than a million decision outcomes; compile "
               "this file without MC/DC";
}

static void print_outcome_store(struct byte_counter_reader *reader,
                                const struct outcome_call *outcome,
                                const struct function_counters *function) {
  struct intrinsic_call flag = outcome->call;
  flag.counters = byte_counter_count(function) + function->bits;
  flag.index += byte_counter_count(function);
  fprintf(reader->out, "%s%zu = load i32, ptr ", index_word,
          reader->flags->outcomes++);
  part_print_text(reader->out, outcome->variable);
  fputc('\n', reader->out);
  call_print_byte_store(reader->out, &flag, function->hash);
}

bool byte_mcdc_print_line(struct byte_counter_reader *reader,
                          struct text_part line) {
  struct outcome_call outcome;
  bool all = call_parse_bit_count(line, &outcome.call);
  if (!all && !call_parse_outcome(line, &outcome))
    return false;
  const struct intrinsic_call *call = &outcome.call;
  const struct function_counters *function = byte_find_function(reader, call);
  if (!function || !byte_mcdc_count(reader, function))
    return false;
  if (!all) {
    print_outcome_store(reader, &outcome, function);
    return true;
  }
  /* Asks clang for 8 bits per outcome, so the function data has a byte for
   * each. */
  fprintf(reader->out, "%.*s%" PRId64 ", i32 %" PRIu64,
          (int)(call->hash.at - line.at), line.at, (int64_t)function->hash,
          8 * function->bits);
  part_print_text(reader->out, call->rest);
  fputc('\n', reader->out);
  return true;
}

/* What a function's data and symbols have to be: keys of flags->functions. */
enum { HAS_COUNTERS, HAS_PREFIX, HAS_BITS };

const char *byte_mcdc_store_plan(const struct byte_counter_reader *reader) {
  struct map *map = &reader->flags->functions;
  const struct function_counters *list =
      (const struct function_counters *)(const void *)reader->list.list.data;
  size_t count = reader->list.list.size / sizeof *list;
  const char *error = NULL;
  for (size_t i = 0; i < count && !error; i++) {
    uint64_t bits = byte_mcdc_count(reader, &list[i]), symbol = list[i].symbol;
    const uint64_t has[] = {byte_counter_count(&list[i]) + bits,
                            list[i].own || bits ? list[i].hash : 0, bits};
    for (unsigned k = 0; k < 3 && list[i].counters; k++) {
      uint64_t *at = map_find_or_add(map, symbol, k, 0);
      error = at ? error : out_of_memory;
      if (at)
        *at = has[k];
    }
  }
  return error;
}

/* ---- after the lowering ---- */

struct lowered_module {
  const struct byte_counters *flags;
  FILE *out;
  struct text_part
      index; /* number of an outcome that was loaded but not yet added;
                        empty: none */
  size_t stores, moved, arrays, records;
};

static uint64_t find_planned_number(const struct lowered_module *lowered,
                                    uint64_t symbol, unsigned what) {
  const uint64_t *at = map_find(&lowered->flags->functions, symbol, what, 0);
  return at ? *at : 0;
}

/* Whether a name begins here: after @ or $, with or without a quote; in debug
 * information, after a quote. */
static bool begins_symbol(const char *line, const char *at) {
  bool quoted = at > line && at[-1] == '"';
  at -= quoted;
  return at > line && (strchr("@$", at[-1]) || (quoted && at[-1] == ' '));
}

/* Moves past the prefix of the next name of a function with byte counters, and
 * sets *symbol. Returns what the name stands for: c: counters, d: function
 * data, b: the bitmap, v: values; 0: no more names. */
static char find_next_symbol(const struct lowered_module *lowered,
                             const char *line, struct text_part *text,
                             uint64_t *symbol) {
  static const char word[] = "__prof";
  while (part_skip_to(text, word)) {
    const char *at = text->at - strlen(word);
    const char *end = at > line && at[-1] == '"' ? "\"" : " ,)]=";
    char kind = text->size ? *text->at : 0;
    if (!begins_symbol(line, at) ||
        (!part_skip_word(text, "c_") && !part_skip_word(text, "d_") &&
         !part_skip_word(text, "bm_") && !part_skip_word(text, "vp_")))
      continue;
    struct text_part name = {text->at, 0};
    while (name.size < text->size && !strchr(end, text->at[name.size]))
      name.size++;
    *symbol = expressions_name_key(name);
    if (map_find(&lowered->flags->functions, *symbol, HAS_COUNTERS, 0))
      return kind;
  }
  return 0;
}

/* Writes text with the new names. The bitmap's name becomes the counters'
 * name. */
static void print_renamed(const struct lowered_module *lowered,
                          struct text_part text) {
  struct text_part rest = text;
  uint64_t symbol;
  for (char kind; (kind = find_next_symbol(lowered, text.at, &rest, &symbol));
       text = rest) {
    bool bytes = find_planned_number(lowered, symbol, HAS_BITS);
    bool counters = bytes && kind == 'b';
    text.size -= rest.size + (counters ? strlen("bm_") : 0);
    part_print_text(lowered->out, text);
    fputs(counters ? "c_" : "", lowered->out);
    if (find_planned_number(lowered, symbol, HAS_PREFIX))
      fprintf(lowered->out, "%s.%016" PRIx64 ".", bytes ? "mcdc" : "flags",
              find_planned_number(lowered, symbol, HAS_PREFIX));
  }
  part_print_text(lowered->out, text);
}

/* Reads the line of a variable or comdat. *goes: it is a bitmap that bytes
 * replace. Counts the arrays with the expected length. */
static void check_global(struct lowered_module *lowered, struct text_part line,
                         bool *goes) {
  struct text_part rest = line;
  uint64_t symbol = 0, length;
  char kind = find_next_symbol(lowered, line.at, &rest, &symbol);
  /* The compiler's lists of used symbols have such names later in the line. */
  if (!kind || rest.at - line.at > (ptrdiff_t)strlen("@\"__profbm_"))
    return;
  *goes = kind == 'b' && find_planned_number(lowered, symbol, HAS_BITS);
  if (*line.at == '@' && kind == 'd')
    lowered->records += find_planned_number(lowered, symbol, HAS_BITS) > 0;
  if (*line.at == '@' && kind == 'c')
    lowered->arrays +=
        part_skip_to(&rest, " [") && part_parse_number(&rest, &length) &&
        part_starts_with(rest, " x i8] ") &&
        length == find_planned_number(lowered, symbol, HAS_COUNTERS);
}

/* Writes a store, with the outcome's number added to its address. */
static void print_moved_store(struct lowered_module *lowered,
                              struct text_part line) {
  static const char word[] = "  store i8 0, ptr ";
  struct text_part index = lowered->index, place = line;
  part_cut_front(&index, strlen(index_word));
  part_skip_word(&place, word);
  line = place;
  while (line.size && !part_starts_with(line, ", align "))
    part_cut_front(&line, 1);
  place.size -= line.size;
  fputs("  %bareprof.a", lowered->out);
  part_print_text(lowered->out, index);
  fputs(" = getelementptr inbounds i8, ptr ", lowered->out);
  print_renamed(lowered, place);
  fprintf(lowered->out, ", i32%.*s\n%s%%bareprof.a",
          (int)lowered->index.size - 1, lowered->index.at + 1, word);
  part_print_text(lowered->out, index);
  part_print_text(lowered->out, line);
  lowered->index.size = 0;
  lowered->moved++;
}

/* Writes an instruction. The address of a byte counter is in its store, or in
 * an addition (-runtime-counter-relocation). */
static const char *print_body_line(struct lowered_module *lowered,
                                   struct text_part line) {
  struct text_part rest = line;
  uint64_t symbol;
  bool store = part_starts_with(line, "  store i8 0, ");
  if (find_next_symbol(lowered, line.at, &rest, &symbol) == 'c') {
    if (!store && !part_contains(line, " = add i64 ptrtoint ("))
      return byte_counters_unknown;
    lowered->stores++;
  }
  if (lowered->index.size && store) {
    print_moved_store(lowered, line);
    return NULL;
  }
  rest = line;
  if (part_starts_with(line, index_word)) {
    if (lowered->index.size)
      return byte_counters_unknown;
    part_cut_front(&rest, 2);
    size_t size = text_cut_local(&rest).size;
    lowered->index = (struct text_part){line.at, size + 2};
  }
  print_renamed(lowered, line);
  return NULL;
}

static const char *print_lowered_line(struct lowered_module *lowered,
                                      struct text_part line) {
  const char *error = NULL;
  bool goes = false;
  if (part_starts_with(line, "@") || part_starts_with(line, "$"))
    check_global(lowered, line, &goes);
  if (goes)
    return NULL;
  if (part_starts_with(line, "  "))
    error = print_body_line(lowered, line);
  else
    print_renamed(lowered, line);
  fputc('\n', lowered->out);
  return error;
}

/* Checks that clang lowered all byte counters as planned. Returns NULL or the
 * error. */
static const char *check_lowered_counts(const struct lowered_module *lowered) {
  static const char lost[] = "clang created other counters than in its first "
                             "run on this source; compile with --counters=64";
  const struct byte_counters *flags = lowered->flags;
  size_t bytes = 0;
  for (const struct map_entry *at = NULL;
       (at = map_next(&flags->functions, at));)
    bytes += at->key[1] == HAS_BITS && at->value;
  if (bytes && !lowered->records)
    return "the profile records are in the debug information, which cannot "
           "describe MC/DC; compile with -profile-correlate=binary, or without "
           "--mcdc=bytes";
  if (lowered->index.size || lowered->records != bytes ||
      lowered->arrays * 3 != flags->functions.count)
    return lost;
  size_t all = flags->flags + flags->outcomes;
  bool right = lowered->moved == flags->outcomes && lowered->stores == all;
  if (flags->copied)
    right = lowered->moved >= flags->outcomes && lowered->stores >= all;
  return right || flags->split ? NULL : lost;
}

const char *byte_counters_finish(const struct byte_counters *flags,
                                 struct bytes module, FILE *out) {
  struct lowered_module lowered = {.flags = flags, .out = out};
  const char *error = NULL;
  for (struct bytes one; !error && bytes_next_line(&module, &one);)
    error = print_lowered_line(
        &lowered, (struct text_part){(const char *)one.data, one.size});
  return error ? error : check_lowered_counts(&lowered);
}
