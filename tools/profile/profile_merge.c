/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Collects the files to merge, selects the reader for each file, prints
 * messages for the reader's events, and reads files with several threads. */
#include "profile_merge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "../base/need.h"
#include "../base/os.h"
#include "../image/dumpfile.h"
#include "../image/image.h"
#include "proftext.h"

#define LIST_LIMIT ((size_t)1 << 28)
#define FILE_LIMIT ((size_t)1 << 40)
#define MEMORY_LIMIT ((size_t)1 << 40)

/* ---- the inputs: from arguments and list files ---- */

/* Adds an input to a list. The name must live as long as the list. */
static void add_input(struct merge_inputs *inputs, const char *name,
                      uint64_t weight) {
  size_t count = inputs->count;
  LIST_ADD(inputs->names, count, name);
  LIST_ADD(inputs->weights, inputs->count, weight);
}

/* Parses W,NAME. Returns false if the text has another form. */
static bool parse_weighted_input(const char *text, uint64_t *weight,
                                 const char **name) {
  char *end;
  if (*text < '0' || *text > '9')
    return false;
  *weight = strtoull(text, &end, 10);
  *name = end + 1;
  return *end == ',' && end[1] && *weight && *weight != UINT64_MAX;
}

const char *merge_inputs_add_weighted(void *given, const char *value) {
  uint64_t weight;
  const char *name;
  if (!parse_weighted_input(value, &weight, &name))
    return "--weighted-input must be W,FILE with W from 1 to 2^64 - 2";
  add_input(&((struct merge_input_arguments *)given)->weighted, name, weight);
  return NULL;
}

const char *merge_inputs_add_list(void *given, const char *value) {
  add_input(&((struct merge_input_arguments *)given)->lists, value, 1);
  return NULL;
}

static void parse_list_lines(struct merge_inputs *inputs, char *text) {
  char *rest = NULL;
  for (char *line = strtok_r(text, "\r\n", &rest); line;
       line = strtok_r(NULL, "\r\n", &rest)) {
    uint64_t weight;
    const char *name;
    line += strspn(line, " \t");
    for (size_t size = strlen(line); size && strchr(" \t", line[size - 1]);)
      line[--size] = '\0';
    if (*line == '\0' || *line == '#')
      continue;
    if (!parse_weighted_input(line, &weight, &name)) {
      weight = 1;
      name = line;
    }
    add_input(inputs, name, weight);
  }
}

int merge_inputs_read_list(struct merge_inputs *inputs, const char *name) {
  struct file file;
  if (file_read(&file, name, LIST_LIMIT))
    return 1;
  const struct bytes list = bytes_skip_byte_order_mark(file.bytes);
  bool has_zero = list.size && memchr(list.data, 0, list.size);
  char *text = need_memory(malloc(list.size + 1));
  if (list.size)
    memcpy(text, list.data, list.size);
  text[list.size] = '\0';
  file_close(&file);
  LIST_ADD(inputs->texts, inputs->text_count, text);
  /* find -print0 and UTF-16 have zero bytes, where the text would end. */
  if (has_zero)
    return report(name, "the list has a zero byte; write one file name per "
                        "line, as UTF-8");
  parse_list_lines(inputs, text);
  return 0;
}

int merge_inputs_collect(struct merge_inputs *inputs,
                         const struct merge_input_arguments *given) {
  const struct merge_inputs *weighted = &given->weighted;
  int failed = 0;
  for (char **name = given->names; *name; name++)
    add_input(inputs, *name, 1);
  for (size_t i = 0; i < weighted->count; i++)
    add_input(inputs, weighted->names[i], weighted->weights[i]);
  for (size_t i = 0; i < given->lists.count && !failed; i++)
    failed = merge_inputs_read_list(inputs, given->lists.names[i]);
  return failed;
}

void merge_inputs_free(struct merge_inputs *inputs) {
  for (size_t i = 0; i < inputs->text_count; i++)
    free(inputs->texts[i]);
  free(inputs->texts);
  free(inputs->names);
  free(inputs->weights);
}

/* ---- merging ---- */

void profile_merge_init(struct profile_merge *merge, const char *const *files) {
  *merge = (struct profile_merge){.files = files};
  profile_init(&merge->profile, MEMORY_LIMIT);
}

void profile_merge_free(struct profile_merge *merge) {
  raw_cache_free(&merge->cache);
  indexed_windows_free(merge->windows);
  profile_free(&merge->profile);
  file_close(&merge->image);
  file_close(&merge->lasting);
}

int profile_merge_open_elf(struct profile_merge *merge, const char *name) {
  if (!name)
    return 0;
  merge->elf = &merge->image_elf;
  return image_open_file(&merge->image_elf, &merge->image, name);
}

/* Collects remarks, and joins remarks of the same kind. If the file has an
 * error later, only the error is printed. */
static void collect_remark(void *context, enum addition_result result,
                           const struct record_counts *counts,
                           const struct counts_addition *addition) {
  struct profile_merge *merge = context;
  merge->remarked = true;
  for (unsigned i = 0; i < ADDITION_BITS; i++) {
    struct merge_remark *remark = &merge->remarks[i];
    if (!(result >> i & 1) || remark->count++)
      continue;
    remark->other = counts->source;
    remark->only_here =
        (1u << i == ADDED_ONE_BITMAP && addition->bitmap_size) ||
        (1u << i == ADDED_ONE_SITES && addition_has_sites(addition));
    snprintf(remark->name, sizeof remark->name, "%.*s",
             (int)(addition->name_size < sizeof remark->name
                       ? addition->name_size
                       : sizeof remark->name),
             addition->name);
  }
}

/* The texts of remarks, by bits of addition_result. %s is the other file. */
static const char *const remark_texts[ADDITION_BITS] = {
    "a count is at its maximum; use smaller weights, or leave out profiles "
    "with impossible counts",
    "a count is impossibly large, so its memory was overwritten, or only half "
    "updated; dump the profile again",
    "only some profiles have MC/DC bitmaps, such as %s, so MC/DC comes from "
    "these only; compile all code with -fcoverage-mcdc",
    "the size of the MC/DC bitmap differs from %s, so the bitmap is left out; "
    "merge profiles of one build",
    "only some profiles have values, such as %s, so values come from these "
    "only; compile all code with the same options",
    "the value sites differ from %s, so the values are left out; merge "
    "profiles of one build",
    "the counters differ from %s, whose counts are kept; merge profiles of one "
    "build"};

static void print_remark(const struct merge_remark *remark, const char *format,
                         const char *file, const char *other) {
  const char *at = strstr(format, "%s");
  char more[40] = "";
  if (remark->count > 1)
    snprintf(more, sizeof more, " (and %zu more)", remark->count - 1);
  warn(file, "%s%s: %.*s%s%s", remark->name, more,
       (int)(at ? at - format : (long)strlen(format)), format, at ? other : "",
       at ? at + 2 : "");
}

/* Prints the collected remarks about a file, unless merge->quiet is true. */
static void print_remarks(struct profile_merge *merge, const char *file) {
  for (unsigned i = 0; i < ADDITION_BITS; i++) {
    const struct merge_remark *remark = &merge->remarks[i];
    if (remark->count && !merge->quiet)
      print_remark(remark, remark_texts[i], file,
                   remark->only_here ? file : merge->files[remark->other]);
  }
}

static void drop_remarks(struct profile_merge *merge) {
  memset(merge->remarks, 0, sizeof merge->remarks);
}

void profile_merge_translate_names(struct profile_merge *merge, char separator,
                                   const char *name) {
  const struct addition_handler events = {collect_remark, merge};
  translate_name_separators(&merge->profile, separator, &events);
  print_remarks(merge, name);
  drop_remarks(merge);
}

void profile_merge_rename_files(struct profile_merge *merge,
                                struct file_renames *renames,
                                const char *name) {
  const struct addition_handler events = {collect_remark, merge};
  translate_file_names(&merge->profile, renames, &events);
  print_remarks(merge, name);
  drop_remarks(merge);
  renames_warn_unused(renames, name);
}

/* Detects the kind of a file. The version comes right after the magic. */
static void detect_file_kind(struct profile_file_kind *kind,
                             struct bytes file) {
  *kind = (struct profile_file_kind){.format = FORMAT_TEXT};
  if (file_is_raw_profile(file)) {
    kind->format = FORMAT_RAW;
    kind->big = raw_is_magic(file.data, true, &kind->wide);
    if (!kind->big)
      raw_is_magic(file.data, false, &kind->wide);
  } else if (indexed_has_magic(file)) {
    kind->format = FORMAT_INDEXED;
  }
  if (kind->format != FORMAT_TEXT && file.size >= 16)
    kind->version = (unsigned)(load64(file.data + 8, kind->big) & UINT32_MAX);
}

/* Returns whether a line is NAME:TOTAL:HEAD, which begins a function in a
 * sample profile. */
static bool is_sample_function_line(const unsigned char *line,
                                    const unsigned char *end) {
  unsigned colons = 0;
  if (end != line && end[-1] == '\r')
    end--;
  for (; end > line && colons < 2; end--) {
    if (end[-1] == ':')
      colons++;
    else if (end[-1] < '0' || end[-1] > '9')
      return false;
  }
  return colons == 2 && end > line;
}

/* Returns whether the file is a sample profile. The profile may be binary, or
 * text after comments and empty lines. */
static bool is_sample_profile(struct bytes file) {
  const unsigned char *at = file.data, *end = at + file.size, *line = at;
  if (file_is_sample_profile(file))
    return true;
  for (; line != end; line = at + (at != end)) {
    at = memchr(line, '\n', (size_t)(end - line));
    at = at ? at : end;
    if (at != line && *line != '#' && *line != '\r')
      return is_sample_function_line(line, at);
  }
  return false;
}

static const char no_profile[] =
    "this is not a profile; pass .profraw, .profdata or .proftext files";

/* Returns the error for a file that only another command can read, or NULL.
 * `line` is where its text is wrong, or 0. Other text is wrong at its start. */
static const char *explain_wrong_kind(struct bytes file, size_t line) {
  if (is_sample_profile(file))
    return "this is a sample profile (.prof); use llvm-profdata merge "
           "--sample, or show --sample";
  if (dumpfile_is_dump(file))
    return "this is a dump (.bpdump), which has counters only; pass the dump "
           "and its ELF to bareprof join";
  if (file_has_frames(file))
    return "this is a console log; pass it to bareprof receive or report";
  bool text = file.size && strchr(":#", file.data[0]);
  return file_kind_name(file) || (line <= 2 && !text) ? no_profile : NULL;
}

/* Reads a text profile. If the text has an error, the file is often of another
 * kind, so the message may name this kind. */
static const char *parse_proftext_file(struct profile_merge *merge,
                                       struct bytes file, uint64_t weight,
                                       size_t *line) {
  const struct addition_handler events = {collect_remark, merge};
  const char *error =
      proftext_parse_into(&merge->profile, file, weight, &events, line);
  const char *other = error ? explain_wrong_kind(file, *line) : NULL;
  if (!other)
    return error;
  *line = 0;
  return other;
}

static const char *parse_profile_file(struct profile_merge *merge,
                                      struct bytes file, uint64_t weight,
                                      size_t *line) {
  const struct addition_handler events = {collect_remark, merge};
  const struct raw_options options = {.weight = weight,
                                      .elf = merge->elf,
                                      .cache = &merge->cache,
                                      .last = merge->only,
                                      .events = &events};
  *line = 0;
  if (file.size == 0)
    return "the file is empty; check that the program ran to the end and wrote "
           "its profile";
  if (file_is_raw_profile(file))
    return raw_parse_into(&merge->profile, file, &options);
  if (indexed_has_magic(file))
    return indexed_parse_into(&merge->profile, file, weight, &events);
  if (proftext_is_text_file(file))
    return parse_proftext_file(merge, file, weight, line);
  const char *other = explain_wrong_kind(file, 0);
  return other ? other : no_profile;
}

static int add_and_own_file(struct profile_merge *merge, struct file file,
                            uint64_t weight) {
  const char *name = file.name;
  size_t line;
  const char *error = parse_profile_file(merge, file.bytes, weight, &line);
  if (!error)
    detect_file_kind(&merge->last, file.bytes);
  if (!error)
    print_remarks(merge, name);
  drop_remarks(merge);
  if (merge->profile.kept.size)
    merge->lasting = file;
  else
    file_close(&file);
  if (error && merge->quiet)
    return 1;
  if (error && line)
    return report(name, "line %zu: %s", line, error);
  return error ? report(name, "%s", error) : 0;
}

int profile_merge_add_file(struct profile_merge *merge, uint32_t source,
                           uint64_t weight) {
  struct file file;
  if (file_map(&file, merge->files[source], FILE_LIMIT))
    return 1;
  merge->profile.source = source;
  return add_and_own_file(merge, file, weight);
}

int profile_merge_open_in_windows(struct profile_merge *merge,
                                  uint32_t source) {
  if (file_map(&merge->lasting, merge->files[source], FILE_LIMIT))
    return 1;
  merge->profile.source = source;
  detect_file_kind(&merge->last, merge->lasting.bytes);
  merge->windows = indexed_windows_new(merge->lasting.bytes, &merge->profile);
  return 0;
}

int profile_merge_restart_whole_file(struct profile_merge *merge) {
  struct profile whole;
  struct file file = merge->lasting;
  profile_init(&whole, MEMORY_LIMIT);
  whole.source = merge->profile.source;
  whole.lost_on_error = merge->profile.lost_on_error;
  indexed_windows_free(merge->windows);
  merge->windows = NULL;
  profile_free(&merge->profile);
  merge->profile = whole;
  merge->lasting = (struct file){.name = file.name};
  return add_and_own_file(merge, file, 1);
}

/* ---- several threads ---- */

/* From this number of files on, a thread with a profile of its own saves time.
 */
enum { INPUTS_A_THREAD = 16, THREADS_MOST = 256 };

struct shared_merge_progress {
  const struct parallel_merge *work;
  pthread_mutex_t mutex; /* protects the members below */
  size_t done;
  bool stop;
};

struct merge_thread {
  struct shared_merge_progress *shared;
  struct profile_merge merge;
  pthread_t thread;
  size_t begin, end; /* range of the inputs that this thread adds */
};

unsigned profile_merge_thread_count(const struct merge_inputs *inputs,
                                    unsigned wanted) {
  size_t most = inputs->count < THREADS_MOST ? inputs->count : THREADS_MOST;
  if (wanted)
    return wanted < most ? wanted : (unsigned)most;
  size_t threads = os_count_processors();
  if (threads > inputs->count / INPUTS_A_THREAD)
    threads = inputs->count / INPUTS_A_THREAD;
  return threads < 1 ? 1 : threads < most ? (unsigned)threads : (unsigned)most;
}

/* Returns whether all inputs are files that can be read twice. */
static bool are_regular_files(const struct merge_inputs *inputs) {
  struct os_file_info facts;
  for (size_t i = 0; i < inputs->count; i++)
    if (!os_stat(inputs->names[i], &facts) || facts.kind != OS_FILE ||
        !os_can_read(inputs->names[i]))
      return false;
  return true;
}

/* Stores whether a thread has added a file. Returns whether to continue. */
static bool note_input_result(struct shared_merge_progress *shared,
                              bool added) {
  pthread_mutex_lock(&shared->mutex);
  if (added)
    shared->work->progress(++shared->done, shared->work->inputs->count);
  else
    shared->stop = true;
  bool more = !shared->stop;
  pthread_mutex_unlock(&shared->mutex);
  return more;
}

static void *add_thread_inputs(void *context) {
  struct merge_thread *part = context;
  const struct merge_inputs *inputs = part->shared->work->inputs;
  for (size_t i = part->begin; i < part->end; i++) {
    int failed =
        profile_merge_add_file(&part->merge, (uint32_t)i, inputs->weights[i]);
    if (!note_input_result(part->shared, !failed && !part->merge.remarked))
      break;
  }
  return NULL;
}

static void prepare_merge_thread(struct merge_thread *part,
                                 struct shared_merge_progress *shared,
                                 const struct profile_merge *like,
                                 size_t number) {
  size_t count = shared->work->inputs->count, all = shared->work->threads;
  profile_merge_init(&part->merge, like->files);
  part->merge.elf = like->elf;
  part->merge.quiet = true;
  part->merge.profile.lost_on_error = true;
  part->merge.profile.bitmaps_by_user = like->profile.bitmaps_by_user;
  part->shared = shared;
  part->begin = count * number / all;
  part->end = count * (number + 1) / all;
  part->merge.only = part->end - part->begin == 1;
}

/* Adds the inputs of all shares. If no thread can be started for a share, this
 * thread adds the share's inputs. */
static void run_merge_threads(struct merge_thread *parts, unsigned count) {
  unsigned started = 0;
  while (started < count && !pthread_create(&parts[started].thread, NULL,
                                            add_thread_inputs, &parts[started]))
    started++;
  for (unsigned i = started; i < count; i++)
    add_thread_inputs(&parts[i]);
  for (unsigned i = 0; i < started; i++)
    pthread_join(parts[i].thread, NULL);
}

/* Adds the later shares to the first share, and frees the later shares. */
static bool join_thread_profiles(struct merge_thread *parts, unsigned count) {
  bool added = true;
  raw_cache_free(&parts[0].merge.cache);
  for (unsigned i = 1; i < count; i++) {
    raw_cache_free(&parts[i].merge.cache);
    added = added && profile_add_profile(&parts[0].merge.profile,
                                         &parts[i].merge.profile) == ADDED;
    parts[0].merge.last = parts[i].merge.last;
    profile_merge_free(&parts[i].merge);
  }
  /* If a site has too many values, the order of the additions decides which
   * values are kept. */
  return added && !parts[0].merge.profile.thinned;
}

bool profile_merge_in_threads(struct profile_merge *merge,
                              const struct parallel_merge *work) {
  struct shared_merge_progress shared = {.work = work};
  unsigned count = work->threads;
  struct merge_thread *parts =
      are_regular_files(work->inputs) ? calloc(count, sizeof *parts) : NULL;
  if (!parts || pthread_mutex_init(&shared.mutex, NULL)) {
    free(parts);
    return false;
  }
  for (unsigned i = 0; i < count; i++)
    prepare_merge_thread(&parts[i], &shared, merge, i);
  run_merge_threads(parts, count);
  pthread_mutex_destroy(&shared.mutex);
  if (shared.stop)
    for (unsigned i = 1; i < count; i++)
      profile_merge_free(&parts[i].merge);
  bool added = !shared.stop && join_thread_profiles(parts, count);
  if (added) {
    profile_free(&merge->profile);
    merge->profile = parts[0].merge.profile;
    merge->lasting = parts[0].merge.lasting;
    merge->last = parts[0].merge.last;
  } else {
    profile_merge_free(&parts[0].merge);
  }
  free(parts);
  return added;
}
