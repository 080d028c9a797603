/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Checks whether clang has lowered the byte counters as byte_counters.c
 * expects, and changes the lowered module: adds the numbers of MC/DC's outcomes
 * to addresses (byte_mcdc.c), and renames symbols. launch.c calls this file.
 *
 * The code does not contain clang's bitmap. Another object may have a bitmap
 * for the same function, or other byte counters, in a comdat of the same name.
 * So the names of counters and function data include the hash that identifies
 * the byte counters: linkers keep the data of both objects, and the code of
 * each object uses its own data. */
#include "byte_counters.h"

static const char sum_word[] = "%bareprof.a";

/* The second keys in the map of functions, which stand for the properties that
 * a function's data and symbols must have. */
enum { HAS_COUNTERS, HAS_PREFIX, HAS_BITS };

void byte_lowered_note_expectations(
    const struct byte_counter_rewriter *reader) {
  struct map *map = &reader->result->functions;
  for (const struct function_counters *at = reader->check.functions.first; at;
       at = at->next) {
    uint64_t bits = byte_mcdc_count_bytes(reader, at);
    if (!at->counters)
      continue;
    *cc_map_find_or_add(map, at->symbol, HAS_COUNTERS, 0) =
        count_byte_counters(at) + bits;
    *cc_map_find_or_add(map, at->symbol, HAS_PREFIX, 0) =
        at->hash_has_counters || bits ? at->hash : 0;
    *cc_map_find_or_add(map, at->symbol, HAS_BITS, 0) = bits;
  }
}

struct lowered_module_rewriter {
  struct bytes module;
  const struct byte_counters *planned;
  FILE *out;
  struct text_part index; /* the number of an outcome that was loaded but not
                             added yet; empty: none */
  size_t stores, moved, arrays, records;
};

static uint64_t
find_planned_value(const struct lowered_module_rewriter *lowered,
                   uint64_t symbol, unsigned what) {
  const uint64_t *at = map_find(&lowered->planned->functions, symbol, what, 0);
  return at ? *at : 0;
}

/* Returns whether a name begins at `at`. A name follows @ or $, with or without
 * a quote; in debug information, it follows a quote. */
static bool is_symbol_begin(const char *line, const char *at) {
  bool quoted = at > line && at[-1] == '"';
  at -= quoted;
  return at > line && (strchr("@$", at[-1]) || (quoted && at[-1] == ' '));
}

/* Moves past the prefix of the next name of a function with byte counters, and
 * sets *symbol. Returns the kind of the name: `c` for counters, `d` for
 * function data, `b` for the bitmap, `v` for values, or 0 if no more names
 * follow in the text. */
static char find_next_symbol(const struct lowered_module_rewriter *lowered,
                             const char *line, struct text_part *text,
                             uint64_t *symbol) {
  static const char word[] = "__prof";
  while (part_skip_past(text, word)) {
    const char *at = text->at - strlen(word);
    const char *end = at > line && at[-1] == '"' ? "\"" : " ,)]=";
    char kind = text->size ? *text->at : 0;
    if (!is_symbol_begin(line, at) ||
        (!part_skip_word(text, "c_") && !part_skip_word(text, "d_") &&
         !part_skip_word(text, "bm_") && !part_skip_word(text, "vp_")))
      continue;
    struct text_part name = {text->at, 0};
    while (name.size < text->size && !strchr(end, text->at[name.size]))
      name.size++;
    *symbol = text_hash(name);
    if (map_find(&lowered->planned->functions, *symbol, HAS_COUNTERS, 0))
      return kind;
  }
  return 0;
}

/* Writes text with the new names of symbols. The bitmap's name becomes the
 * counters' name. */
static void print_renamed_symbols(const struct lowered_module_rewriter *lowered,
                                  struct text_part text) {
  struct text_part rest = text;
  uint64_t symbol;
  for (char kind; (kind = find_next_symbol(lowered, text.at, &rest, &symbol));
       text = rest) {
    bool bytes = find_planned_value(lowered, symbol, HAS_BITS);
    bool counters = bytes && kind == 'b';
    text.size -= rest.size + (counters ? strlen("bm_") : 0);
    part_print_text(lowered->out, text);
    fputs(counters ? "c_" : "", lowered->out);
    if (find_planned_value(lowered, symbol, HAS_PREFIX))
      fprintf(lowered->out, "%s.%016" PRIx64 ".", bytes ? "mcdc" : "flags",
              find_planned_value(lowered, symbol, HAS_PREFIX));
  }
  part_print_text(lowered->out, text);
}

/* Parses the line of a variable or comdat. Counts the arrays with the expected
 * length. Returns whether the line is a bitmap that bytes replace. */
static bool count_or_omit_variable(struct lowered_module_rewriter *lowered,
                                   struct text_part line) {
  struct text_part rest = line;
  uint64_t symbol = 0, length;
  char kind = find_next_symbol(lowered, line.at, &rest, &symbol);
  /* The compiler's lists of used symbols contain such names, too, but not at
   * the beginning of the line. */
  if (!kind || rest.at - line.at > (ptrdiff_t)strlen("@\"__profbm_"))
    return false;
  uint64_t bits = find_planned_value(lowered, symbol, HAS_BITS);
  if (*line.at == '@' && kind == 'd')
    lowered->records += bits > 0;
  if (*line.at == '@' && kind == 'c')
    lowered->arrays +=
        part_skip_past(&rest, " [") && part_parse_number(&rest, &length) &&
        part_starts_with(rest, " x i8] ") &&
        length == find_planned_value(lowered, symbol, HAS_COUNTERS);
  return kind == 'b' && bits;
}

/* Writes a store, and adds the outcome's number to its address. */
static void print_store_at_outcome(struct lowered_module_rewriter *lowered,
                                   struct text_part line) {
  static const char word[] = "  store i8 0, ptr ";
  struct text_part value = lowered->index, index = value, place;
  part_cut_front(&value, 2);
  part_cut_front(&index, strlen(byte_mcdc_index_word));
  part_skip_word(&line, word);
  place = line;
  while (line.size && !part_starts_with(line, ", align "))
    part_cut_front(&line, 1);
  part_print_pattern(lowered->out, "  %s%p = getelementptr inbounds i8, ptr ",
                     sum_word, index);
  print_renamed_symbols(lowered, text_between(place, line));
  part_print_pattern(lowered->out, ", i32 %p\n%s%s%p%p", value, word, sum_word,
                     index, line);
  lowered->index.size = 0;
  lowered->moved++;
}

/* Writes an instruction. The address of a byte counter is in a store or, with
 * -runtime-counter-relocation, in an addition. */
static void print_lowered_line(struct lowered_module_rewriter *lowered,
                               struct text_part line) {
  struct text_part rest = line;
  uint64_t symbol;
  bool store = part_starts_with(line, "  store i8 0, ");
  bool loads = part_starts_with(line, byte_mcdc_index_word);
  if (find_next_symbol(lowered, line.at, &rest, &symbol) == 'c') {
    if (!store && !part_contains(line, " = add i64 ptrtoint ("))
      raise_error(byte_counters_unknown);
    lowered->stores++;
  }
  if (lowered->index.size && store) {
    print_store_at_outcome(lowered, line);
    return;
  }
  if (loads && lowered->index.size)
    raise_error(byte_counters_unknown);
  rest = line;
  if (loads) {
    part_cut_front(&rest, 2);
    text_cut_local(&rest);
    lowered->index = text_between(line, rest);
  }
  print_renamed_symbols(lowered, line);
}

/* Checks that clang lowered all byte counters as planned. */
static void
check_lowered_counts(const struct lowered_module_rewriter *lowered) {
  const struct byte_counters *planned = lowered->planned;
  size_t bytes = 0;
  for (const struct map_entry *at = NULL;
       (at = map_next_entry(&planned->functions, at));)
    bytes += at->key[1] == HAS_BITS && at->value;
  if (bytes && !lowered->records)
    raise_error("the profile records are in the debug information, which "
                "cannot describe MC/DC; compile with "
                "-profile-correlate=binary, or without --mcdc=bytes");
  size_t all = planned->stores + planned->outcomes;
  bool right = lowered->moved == planned->outcomes && lowered->stores == all;
  if (planned->copied)
    right = lowered->moved >= planned->outcomes && lowered->stores >= all;
  if (lowered->index.size || lowered->records != bytes ||
      lowered->arrays * 3 != planned->functions.count ||
      (!right && !planned->split))
    raise_error("clang created other counters than in its first run on this "
                "source; compile with --counters=64");
}

static void print_lowered_module(void *context) {
  struct lowered_module_rewriter *lowered = context;
  for (struct text_part line; text_next_line(&lowered->module, &line);) {
    bool global = part_starts_with(line, "@") || part_starts_with(line, "$");
    if (global && count_or_omit_variable(lowered, line))
      continue;
    if (part_starts_with(line, "  "))
      print_lowered_line(lowered, line);
    else
      print_renamed_symbols(lowered, line);
    fputc('\n', lowered->out);
  }
  check_lowered_counts(lowered);
}

const char *byte_lowered_rewrite_module(const struct byte_counters *planned,
                                        struct bytes module, FILE *out) {
  struct lowered_module_rewriter lowered = {
      .module = module, .planned = planned, .out = out};
  return catch_error(print_lowered_module, &lowered);
}
