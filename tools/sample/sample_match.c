/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads a sample profile in text form, and searches in it for the functions of
 * a build, as clang does. Also opens the sampled program. */
#include "make.h"

#include <stdlib.h>
#include <string.h>

#include "../base/arena.h"
#include "../base/map.h"
#include "../base/need.h"
#include "../base/number.h"
#include "../object/digest.h"
#include "../object/names.h"
#include "listing.h"
#include "input.h"

/* ---- the program ---- */

static const char *open_debug_lines(struct sampled_program *program) {
  const char *error = dwarf_open(&program->dwarf, &program->elf);
  if (!error)
    error = dwarf_lines_read(&program->lines, &program->dwarf);
  if (!error)
    error = dwarf_scopes_read(&program->scopes, &program->dwarf);
  program->lined = !error && program->lines.row_count;
  return error;
}

const char *program_open(struct sampled_program *program, struct bytes file,
                         unsigned encoding, enum program_part part) {
  *program = (struct sampled_program){0};
  listing_begin(&program->listing, &program->probes, &program->code);
  jumps_begin(&program->jumps, &program->listing);
  const char *error = elf_open(&program->elf, file);
  if (!error)
    error = part < PROGRAM_PROBES
                ? probes_read_symbols(&program->probes, &program->elf, false)
                : probes_read(&program->probes, &program->elf, encoding);
  if (!error)
    error = code_open(&program->code, &program->elf);
  if (!error && part == PROGRAM_ALL)
    program->debug_error = open_debug_lines(program);
  if (!error && part == PROGRAM_LINES)
    error = open_debug_lines(program);
  if (!error && part == PROGRAM_LINES && !program->lined)
    error = "the ELF has no line numbers; compile with -g1 "
            "-fdebug-info-for-profiling, and pass the ELF that ran, unstripped";
  return error;
}

void program_close(struct sampled_program *program) {
  dwarf_scopes_free(&program->scopes);
  dwarf_lines_free(&program->lines);
  dwarf_close(&program->dwarf);
  jumps_free(&program->jumps);
  listing_free(&program->listing);
  code_close(&program->code);
  probes_free(&program->probes);
}

/* ---- text ----
 *
 * Parses the text of a sample profile, as far as the match needs the text:
 *   NAME:TOTAL:HEAD, or [CALLER:SITE @ NAME]:TOTAL:HEAD
 *    SITE: COUNT [TARGET:COUNT...]
 *    SITE: NAME:TOTAL, a function inlined at SITE, whose lines follow
 *    !CFGChecksum: NUMBER
 * A line that is indented by N blanks belongs to the last function before it
 * whose own line is indented by N - 1.
 */

enum { DEPTH_MOST = 1024 };

static const char no_head[] =
    "expected a function, NAME:TOTAL:HEAD, as in the output of llvm-profdata "
    "merge --sample --text; correct the line";
static const char no_count[] =
    "expected SITE: COUNT or SITE: NAME:TOTAL; correct the line";

/* A function of a profile, or a part of its counts. */
struct sample_function {
  struct bytes name;
  uint64_t hash; /* the function's checksum, or 0 */
  double weight; /* sum of the counts; without any, the total */
  bool counted;  /* a line has a count, or an inlined function */
};

struct sample_text_reader {
  struct sample_function_table *of;
  size_t depth;                              /* number of functions whose lines
                                                may follow */
  struct sample_function bodies[DEPTH_MOST]; /* the functions whose lines may
                                                follow */
};

/* ---- words ---- */

/* Removes the last colon and the number after it from *text. Returns false if
 * *text does not end with a number. */
static bool cut_last_number(struct bytes *text, uint64_t *value) {
  for (size_t i = text->size; i-- > 0;)
    if (text->data[i] == ':') {
      const struct bytes behind = {text->data + i + 1, text->size - i - 1};
      text->size = i;
      return i && parse_number_in_base(behind, 10, value);
    }
  return false;
}

/* Returns NAME if the name is [CALLER:SITE @ NAME], otherwise the whole name.
 */
static struct bytes parse_innermost_name(struct bytes name) {
  if (name.size < 3 || name.data[0] != '[' || name.data[name.size - 1] != ']')
    return name;
  name = (struct bytes){name.data + 1, name.size - 2};
  for (size_t i = name.size; i-- > 3;)
    if (memcmp(name.data + i - 3, " @ ", 3) == 0)
      return (struct bytes){name.data + i, name.size - i};
  return name;
}

static bool parse_function_head(struct bytes line, struct bytes *name,
                                uint64_t *total) {
  uint64_t head;
  if (!cut_last_number(&line, &head) || !cut_last_number(&line, total))
    return false;
  *name = parse_innermost_name(line);
  return true;
}

static bool is_comment_or_empty(struct bytes line) {
  return !line.size || line.data[0] == '#';
}

bool sample_text_is_profile(struct bytes file) {
  struct bytes line = {0}, name;
  uint64_t total;
  file = bytes_skip_byte_order_mark(file);
  while (is_comment_or_empty(line) && samples_pop_line(&file, &line))
    ;
  return line.size && line.data[0] != ' ' &&
         parse_function_head(line, &name, &total);
}

/* ---- bodies ---- */

/* Returns an estimate of the number of counters: 1 for a function of one block,
 * whose checksum has 0 edges in bits 32 to 47, and otherwise 2. */
static uint32_t estimate_counter_count(uint64_t hash) {
  return hash >> 32 & 0xFFFF ? 2 : 1;
}

static void append_match_function(struct build_match *match,
                                  struct buffer *list, struct bytes name,
                                  uint64_t hash) {
  const struct match_function one = {
      .name = need_memory(arena_copy(&match->names, name.data, name.size)),
      .reference = md5_low64(name.data, name.size),
      .hash = hash,
      .counters = estimate_counter_count(hash)};
  need_append(list, &one, sizeof one);
}

/* Adds the counts of the bodies deeper than `depth` to the records with the
 * same names and checksums. */
static void add_bodies_deeper_than(struct sample_text_reader *of,
                                   size_t depth) {
  struct build_match *match = of->of->match;
  struct buffer *list = &match->records;
  while (of->depth > depth) {
    const struct sample_function *body = &of->bodies[--of->depth];
    uint64_t *number = need_memory(map_find_or_add(
        &of->of->known, md5_low64(body->name.data, body->name.size), body->hash,
        0));
    if (!*number) {
      append_match_function(match, list, body->name, body->hash);
      *number = list->size / sizeof(struct match_function);
    }
    ((struct match_function *)(void *)list->data)[*number - 1].weight +=
        body->weight;
  }
}

/* ---- lines ---- */

/* Parses SITE: COUNT, or SITE: NAME:TOTAL of an inlined function. */
static const char *parse_site_line(struct sample_text_reader *of,
                                   struct bytes line) {
  const unsigned char *at = line.data, *end = at + line.size;
  parse_decimal(&at, end);
  if (at != end && *at == '.') {
    at++;
    parse_decimal(&at, end);
  }
  if (at == line.data || !skip_prefix(&at, end, ": ") || at == end)
    return no_count;
  const unsigned char *first = at;
  uint64_t count = parse_decimal(&at, end), total;
  struct sample_function *body = &of->bodies[of->depth - 1];
  body->weight = body->counted ? body->weight : 0;
  body->counted = true;
  if (at != first && (at == end || *at == ' ')) {
    body->weight += (double)count;
    return NULL;
  }
  struct bytes name = {first, (size_t)(end - first)};
  if (!cut_last_number(&name, &total))
    return no_count;
  if (of->depth == DEPTH_MOST)
    return "this line has more levels of inlined functions than bareprof "
           "supports; correct the line";
  of->bodies[of->depth++] =
      (struct sample_function){.name = name, .weight = (double)total};
  return NULL;
}

static const char *parse_profile_line(struct sample_text_reader *of,
                                      struct bytes line) {
  size_t blanks = 0;
  while (blanks < line.size && line.data[blanks] == ' ')
    blanks++;
  const struct bytes rest = {line.data + blanks, line.size - blanks};
  const unsigned char *at = rest.data, *end = at + rest.size;
  if (blanks > of->depth)
    return of->depth
               ? "expected fewer blanks; begin the line with one blank more "
                 "than its function"
               : no_head;
  add_bodies_deeper_than(of, blanks);
  struct bytes name;
  uint64_t total;
  if (!blanks) {
    if (!parse_function_head(rest, &name, &total))
      return no_head;
    of->bodies[of->depth++] =
        (struct sample_function){.name = name, .weight = (double)total};
  } else if (skip_prefix(&at, end, "!CFGChecksum: ")) {
    if (!parse_number_in_base((struct bytes){at, (size_t)(end - at)}, 10,
                              &of->bodies[of->depth - 1].hash))
      return "expected a checksum; correct the line";
    of->of->probed = true;
  } else if (!rest.size || *rest.data != '!') {
    return parse_site_line(of, rest);
  }
  return NULL;
}

const char *sample_text_parse(struct sample_function_table *records,
                              struct bytes file, size_t *line) {
  const char *error = NULL;
  *line = 0;
  file = bytes_skip_byte_order_mark(file);
  if (file.size && memchr(file.data, 0, file.size))
    return "the file has a zero byte, so it is not a profile in text form; "
           "make the profile again";
  struct sample_text_reader *of = need_memory(calloc(1, sizeof *of));
  of->of = records;
  for (struct bytes one; !error && samples_pop_line(&file, &one);) {
    ++*line;
    error = is_comment_or_empty(one) ? NULL : parse_profile_line(of, one);
  }
  if (!error) {
    *line = 0;
    add_bodies_deeper_than(of, 0);
  }
  free(of);
  return error;
}

/* ---- the profile's file ---- */

bool sample_match_is_profile(struct bytes file) {
  return file_is_sample_profile(file) || sample_text_is_profile(file);
}

/* ---- the build ---- */

/* Adds a function of the build with its checksum, which may be 0. The name is
 * the name for which clang searches in the profile: without the suffixes that
 * clang appends, except for .__uniq. */
static void add_build_function(struct build_match *match, const char *name,
                               uint64_t hash) {
  struct bytes all = {(const unsigned char *)name, strlen(name)};
  const struct bytes digits = names_uniq_digits(all);
  all.size = digits.size ? (size_t)(digits.data + digits.size - all.data)
                         : strcspn(name, ".");
  append_match_function(match, &match->build, all, hash);
}

static const char *add_functions_with_probes(struct build_match *match,
                                             const struct elf *elf) {
  struct probes probes;
  const char *error = probes_read(&probes, elf, PROBE_AUTO);
  for (size_t i = 0; i < probes.function_count && !error; i++)
    add_build_function(match, probes.functions[i].name,
                       probes.functions[i].hash);
  probes_free(&probes);
  return error;
}

/* Adds the functions whose code is at an address: the symbol's function, and
 * functions that were inlined into it. `seen` has the names that were already
 * added. */
static void add_functions_at_address(struct build_match *match,
                                     const struct sampled_program *program,
                                     uint64_t address, struct map *seen) {
  struct dwarf_frame frames[DWARF_FRAMES];
  size_t depth =
      dwarf_find_frames(&program->scopes, &program->lines, address, frames);
  for (size_t i = 0; i < depth; i++) {
    const char *name = frames[i].name;
    uint64_t *found =
        need_memory(map_find_or_add(seen, md5_low64(name, strlen(name)), 0, 0));
    if (!*found && *name)
      add_build_function(match, name, 0);
    *found = 1;
  }
}

/* Adds all functions with code, and functions that were only inlined. */
static const char *add_code_and_inlined_functions(struct build_match *match,
                                                  const struct elf *elf) {
  struct sampled_program program;
  struct map seen = {.limit = (size_t)1 << 26};
  const char *error =
      program_open(&program, elf->file, PROBE_AUTO, PROGRAM_LINES);
  for (size_t i = 0; !error && i < program.probes.symbol_count; i++)
    add_build_function(match, program.probes.symbols[i].name, 0);
  for (size_t i = 0; !error && i < program.lines.row_count; i++)
    add_functions_at_address(match, &program, program.lines.rows[i].address,
                             &seen);
  map_free(&seen);
  program_close(&program);
  return error;
}

const char *sample_match_make(struct build_match *match, struct bytes file,
                              const struct elf *elf,
                              struct sample_match_details *found) {
  struct sample_function_table records = {.match = match,
                                          .known = {.limit = (size_t)1 << 26}};
  struct elf_section section;
  *found = (struct sample_match_details){0};
  match_begin(match);
  const char *error = file_is_sample_profile(file)
                          ? "this is a binary sample profile; convert the "
                            "profile with llvm-profdata merge --sample --text"
                          : sample_text_parse(&records, file, &found->line);
  map_free(&records.known);
  if (error)
    return error;
  bool same =
      !records.probed || elf_find_section(elf, ".pseudo_probe_desc", &section);
  found->by_name = !records.probed;
  if (same)
    error = records.probed ? add_functions_with_probes(match, elf)
                           : add_code_and_inlined_functions(match, elf);
  found->of_elf = error;
  if (!error)
    match_compute_reasons(match, same);
  return error;
}
