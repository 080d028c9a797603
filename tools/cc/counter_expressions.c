/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads, changes and writes the coverage mappings in a module, and checks that
 * they agree with the code. The input is the lines of global variables;
 * byte_counters.c writes the result. A mapping is the string in
 *
 *   @__covrec_1Fu = linkonce_odr hidden constant
 *   <{ i64, i32, i64, i64, [9 x i8] }> <{ i64 NAME, i32 9, i64 HASH, i64 FILES,
 *   [9 x i8] c"\01..." }>, ...
 *
 * which is one line. clang 14 repeats the type wherever it uses the variable.
 */
#include <inttypes.h>

#include "../base/arena.h"
#include "../base/buffer.h"
#include "../base/llvm.h"
#include "../image/raw_version.h"
#include "../object/digest.h"
#include "byte_counters.h"

static const char strange[] =
    "the coverage mapping has an unsupported format; compile with clang 14 "
    "to " LLVM_LAST_TEXT ", or with --counters=64";

const struct module_functions module_functions_none = {
    .memory = {.limit = BYTE_COUNTERS_MOST},
    .known = {.limit = BYTE_COUNTERS_MOST},
    .record = {.limit = BYTE_COUNTERS_MOST},
    .written = {.limit = BYTE_COUNTERS_MOST}};

/* ---- strings ---- */

static unsigned hex_digit(char c) {
  return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) & 15;
}

/* Decodes a string in LLVM's notation, up to the closing quote. Appends the
 * bytes to `to`. */
static void append_decoded_string(struct text_part text, struct buffer *to) {
  while (text.size && *text.at != '"') {
    unsigned char byte = (unsigned char)*text.at;
    bool escaped = byte == '\\' && text.size > 2;
    if (escaped && text.at[1] != '\\')
      byte =
          (unsigned char)(hex_digit(text.at[1]) << 4 | hex_digit(text.at[2]));
    part_cut_front(&text, !escaped ? 1 : text.at[1] == '\\' ? 2 : 3);
    raise_if_error(buffer_append(to, &byte, 1));
  }
}

/* ---- reading ----
 *
 * The map finds functions by two keys: the hash of a function's name, and the
 * hash of its symbol without the first character, @ or $. */

enum { BY_SYMBOL, BY_NAME };

static uint64_t hash_symbol(struct text_part symbol) {
  part_cut_front(&symbol, symbol.size > 0);
  return text_hash(symbol);
}

static struct function_counters *
find_or_add_function(struct module_functions *functions, uint64_t name) {
  uint64_t *known = cc_map_find_or_add(&functions->known, name, BY_NAME, 0);
  if (*known)
    return (struct function_counters *)(uintptr_t)*known;
  struct function_counters *function =
      cc_allocate(&functions->memory, sizeof *function);
  *known = (uintptr_t)function;
  function->name = name;
  function->number = functions->count++;
  if (functions->last)
    functions->last->next = function;
  else
    functions->first = function;
  return functions->last = function;
}

static void add_function_symbol(struct module_functions *functions,
                                struct text_part symbol,
                                const struct function_counters *function) {
  *cc_map_find_or_add(&functions->known, hash_symbol(symbol), BY_SYMBOL, 0) =
      (uintptr_t)function;
}

struct function_counters *
expressions_find_function(const struct module_functions *functions,
                          struct text_part symbol) {
  const uint64_t *known =
      map_find(&functions->known, hash_symbol(symbol), BY_SYMBOL, 0);
  return known ? (struct function_counters *)(uintptr_t)*known : NULL;
}

static void parse_function_name(struct module_functions *functions,
                                struct text_part symbol,
                                struct text_part line) {
  bool alone = part_starts_with(line, " = private ");
  if (!part_skip_past(&line, " c\""))
    raise_error(strange);
  functions->record.size = 0;
  append_decoded_string(line, &functions->record);
  struct function_counters *function = find_or_add_function(
      functions, md5_low64(functions->record.data, functions->record.size));
  function->alone = alone;
  add_function_symbol(functions, symbol, function);
}

/* The beginning of the type of a mapping's variable. */
static const char type_word[] = " <{ i64, i32, i64, i64, [";

static void parse_global_variable(struct module_functions *functions,
                                  struct text_part line) {
  struct text_part symbol = text_cut_global(&line);
  if (part_starts_with(symbol, "@__profn_") ||
      part_starts_with(symbol, "@\"__profn_")) {
    parse_function_name(functions, symbol, line);
    return;
  }
  if (!part_starts_with(symbol, "@__covrec_"))
    return;
  /* The texts before and between the values of the mapping's fields. The fields
   * are the length (three times), the name, the hash and the files. */
  static const char *const words[] = {
      " x i8] }> <{ i64 ", ", i32 ", ", i64 ", ", i64 ", ", [", " x i8] c\""};
  uint64_t numbers[6];
  bool right = part_skip_past(&line, type_word);
  for (unsigned i = 0; i < 6 && right; i++) {
    numbers[i] = text_parse_hash(&line);
    right = part_skip_word(&line, words[i]);
  }
  if (!right || numbers[0] != numbers[2] || numbers[0] != numbers[5])
    raise_error(strange);
  struct function_counters *function =
      find_or_add_function(functions, numbers[1]);
  function->hash = numbers[3];
  function->files = numbers[4];
  function->mapping = line;
  function->length = (size_t)numbers[0];
  function->used = symbol.at[symbol.size - 1] == 'u';
  if (!part_skip_past(&line, "\"") ||
      !part_starts_with(line, " }>, section \""))
    raise_error(strange);
  add_function_symbol(functions, symbol, function);
}

/* ---- expressions ---- */

/* Returns the index of an expression's value. An expression has two values: as
 * a difference and as a sum. */
static size_t expression_value_index(uint64_t counter) {
  return (size_t)(counter / 4 * 2 + counter % 2);
}

/* Lists the expressions, each after its operands. If expressions form a cycle,
 * their order is undefined. */
static void sort_expressions(struct arena *memory,
                             struct function_counters *function) {
  size_t count = function->expression_count, depth = 0, done = 0;
  unsigned char *seen = cc_allocate(memory, count + 1);
  size_t *stack = cc_allocate(memory, (3 * count + 1) * sizeof *stack);
  function->order = cc_allocate(memory, (count + 1) * sizeof *function->order);
  for (size_t i = 0; i < count; i++)
    for (stack[depth++] = i; depth;) {
      size_t at = stack[depth - 1];
      const struct counter_expression *it = &function->expressions[at];
      const uint64_t parts[2] = {it->left, it->right};
      depth -= seen[at] != 0;
      if (seen[at] == 1)
        function->order[done++] = at;
      for (unsigned k = 0; k < 2 && !seen[at]; k++)
        if (parts[k] % 4 >= COUNTER_LESS && !seen[parts[k] / 4])
          stack[depth++] = (size_t)(parts[k] / 4);
      seen[at] += seen[at] < 2;
    }
}

uint64_t expressions_counter_value(const struct function_counters *function,
                                   uint64_t counter, const uint64_t *values,
                                   const uint64_t *sums) {
  if (counter % 4 >= COUNTER_LESS)
    return sums[expression_value_index(counter)];
  bool known = counter % 4 == COUNTER_PLAIN && counter / 4 < function->counters;
  return known ? values[counter / 4] : 0;
}

uint64_t *expressions_evaluate(struct arena *memory,
                               const struct function_counters *function,
                               const uint64_t *values) {
  size_t count = function->expression_count;
  uint64_t *sums = cc_allocate(memory, (2 * count + 1) * sizeof *sums);
  for (size_t i = 0; i < count; i++) {
    size_t at = function->order[i];
    const struct counter_expression *it = &function->expressions[at];
    uint64_t left = expressions_counter_value(function, it->left, values, sums);
    uint64_t right =
        expressions_counter_value(function, it->right, values, sums);
    sums[expression_value_index(at * 4 + COUNTER_LESS)] = left - right;
    sums[expression_value_index(at * 4 + COUNTER_SUM)] = left + right;
  }
  return sums;
}

size_t expressions_counter_number(const struct function_counters *function,
                                  uint64_t counter) {
  return counter % 4 < COUNTER_LESS
             ? (size_t)(counter / 4)
             : function->numbers[expression_value_index(counter)];
}

/* ---- new counters ---- */

/* Returns whether a counter is a difference, or has a difference among its
 * operands. less[i] says whether expression i has one among its operands. */
static bool has_difference(uint64_t counter, const bool *less) {
  return counter % 4 == COUNTER_LESS ||
         (counter % 4 == COUNTER_SUM && less[counter / 4]);
}

/* Replaces a counter that is a difference, or contains one, with a new counter.
 * Returns whether the mapping still needs the counter's expressions. */
static bool replace_difference(struct module_functions *functions,
                               struct function_counters *function,
                               const struct region *region, uint64_t *counter,
                               const bool *less) {
  if (*counter % 4 < COUNTER_LESS)
    return false;
  if (!has_difference(*counter, less))
    return true;
  size_t *number = &function->numbers[expression_value_index(*counter)];
  if (*number == SIZE_MAX) {
    *number = (size_t)function->counters + function->count;
    CC_APPEND(&functions->memory, function->differences, function->count,
              (struct counter_difference){*counter, false});
  }
  function->differences[*number - function->counters].wide |=
      position_sort_key(region->begin) != position_sort_key(region->end);
  *counter = *number * 4 + COUNTER_PLAIN;
  return false;
}

/* Copies the expressions as clang wrote them. */
static void copy_expressions(struct module_functions *functions,
                             struct function_counters *function) {
  const struct mapping *mapping = &functions->mapping;
  size_t count = mapping->expression_count;
  size_t size = count * sizeof *function->expressions;
  function->expressions = cc_allocate(&functions->memory, size + 1);
  function->numbers = cc_allocate(&functions->memory,
                                  (2 * count + 1) * sizeof *function->numbers);
  if (size)
    memcpy(function->expressions, mapping->expressions, size);
  for (size_t i = 0; i < 2 * count; i++)
    function->numbers[i] = SIZE_MAX;
  function->expression_count = count;
  sort_expressions(&functions->memory, function);
}

static void replace_differences(struct module_functions *functions,
                                struct function_counters *function) {
  struct mapping *mapping = &functions->mapping;
  bool *less = cc_allocate(&functions->memory, mapping->expression_count + 1);
  bool sums = false;
  for (size_t i = 0; i < function->expression_count; i++) {
    const struct counter_expression *it =
        &function->expressions[function->order[i]];
    less[function->order[i]] =
        has_difference(it->left, less) || has_difference(it->right, less);
  }
  for (size_t i = 0; i < mapping->region_count; i++) {
    struct region *region = &mapping->regions[i];
    sums |=
        replace_difference(functions, function, region, &region->counter, less);
    if (region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH)
      sums |=
          replace_difference(functions, function, region, &region->other, less);
  }
  if (!sums)
    mapping->expression_count = 0;
}

struct mapping *expressions_decode_mapping(struct module_functions *functions,
                                           const struct function_counters *of) {
  static const unsigned char zeros[MAPPING_HEADER];
  struct buffer *record = &functions->record;
  mapping_close(&functions->mapping);
  functions->mapping =
      (struct mapping){.region_list = {.limit = BYTE_COUNTERS_MOST},
                       .expression_list = {.limit = BYTE_COUNTERS_MOST},
                       .files = {.limit = BYTE_COUNTERS_MOST}};
  record->size = 0;
  raise_if_error(buffer_append(record, zeros, sizeof zeros));
  append_decoded_string(of->mapping, record);
  if (record->size != MAPPING_HEADER + of->length)
    raise_error(strange);
  raise_if_error(
      mapping_read_record(&functions->mapping, buffer_bytes(record)));
  return &functions->mapping;
}

void expressions_encode_mapping(struct module_functions *functions,
                                struct function_counters *function) {
  struct buffer *written = &functions->written;
  written->size = 0;
  raise_if_error(mapping_append_record(&functions->mapping, written));
  function->size = load32(written->data + 8, false);
  function->text = cc_allocate(&functions->memory, function->size + 1);
  memcpy(function->text, written->data + MAPPING_HEADER, function->size);
}

uint64_t expressions_mix_hash(uint64_t sum, uint64_t number) {
  sum = (sum + number + 1) * UINT64_C(0x9E3779B97F4A7C15);
  return (sum ^ sum >> 29) >> 4;
}

/* Adds the meaning of the new counters to the hash. The meaning is their values
 * for arbitrary values of clang's counters. */
static void hash_new_counters(struct arena *memory,
                              struct function_counters *function) {
  uint64_t *plain =
      cc_allocate(memory, (function->counters + 1) * sizeof *plain);
  for (uint64_t i = 0; i < function->counters; i++)
    plain[i] = expressions_mix_hash(0, i);
  const uint64_t *sums = expressions_evaluate(memory, function, plain);
  for (size_t i = 0; i < function->count; i++)
    function->hash = expressions_mix_hash(
        function->hash,
        expressions_counter_value(function, function->differences[i].counter,
                                  plain, sums));
  function->hash_has_counters = true;
}

void expressions_replace_differences(struct module_functions *functions) {
  for (struct function_counters *function = functions->first; function;
       function = function->next) {
    if (!function->counters || !function->mapping.size)
      continue;
    expressions_decode_mapping(functions, function);
    copy_expressions(functions, function);
    replace_differences(functions, function);
    if (!function->count)
      continue;
    expressions_encode_mapping(functions, function);
    hash_new_counters(&functions->memory, function);
  }
}

/* ---- writing ---- */

/* Removes "[9 x i8] }>* ", the type before "@__covrec_1Fu". */
static bool skip_array_type(struct text_part *line) {
  uint64_t size;
  struct text_part at = *line;
  if (!part_skip_word(&at, "[") || !part_parse_number(&at, &size) ||
      !part_skip_word(&at, " x i8] }>* ") ||
      !part_starts_with(at, "@__covrec_"))
    return false;
  *line = at;
  return true;
}

/* Writes a symbol, then the hash, because another object may have another
 * mapping of the same name. */
static void print_symbol_with_hash(const struct function_counters *function,
                                   struct text_part symbol, FILE *out) {
  part_print_text(out, symbol);
  if (function->hash_has_counters)
    fprintf(out, ".%016" PRIx64, function->hash);
}

/* Writes a line, and replaces the symbols and types of mappings with the new
 * ones. */
static void print_mapping_uses(const struct module_functions *functions,
                               struct text_part line, FILE *out) {
  while (line.size) {
    struct text_part at = line, symbol;
    const struct function_counters *function = NULL;
    bool typed = skip_array_type(&at);
    if (part_starts_with(at, "@__covrec_") ||
        part_starts_with(at, "$__covrec_")) {
      symbol = text_cut_global(&at);
      function = expressions_find_function(functions, symbol);
    }
    if (!function || !function->size) {
      part_print_text(out, part_cut_front(&line, 1));
      continue;
    }
    if (typed)
      fprintf(out, "[%zu x i8] }>* ", function->size);
    print_symbol_with_hash(function, symbol, out);
    line = at;
  }
  fputc('\n', out);
}

/* Writes the variable of a mapping with its new type, sizes and string. */
static void print_mapping(const struct function_counters *function,
                          struct text_part line, FILE *out) {
  struct text_part rest = line;
  print_symbol_with_hash(function, text_cut_global(&line), out);
  part_skip_past(&rest, type_word);
  part_print_text(out, text_between(line, rest));
  fprintf(out,
          "%zu x i8] }> <{ i64 %" PRId64 ", i32 %zu, i64 %" PRId64
          ", i64 %" PRId64 ", [%zu x i8] c\"",
          function->size, (int64_t)function->name, function->size,
          (int64_t)function->hash, (int64_t)function->files, function->size);
  for (size_t i = 0; i < function->size; i++)
    fprintf(out, "\\%02X", function->text[i]);
  part_skip_past(&rest, " c\"");
  part_skip_past(&rest, "\"");
  part_print_pattern(out, "\"%p\n", rest);
}

void expressions_print_global_line(const struct module_functions *functions,
                                   struct text_part line, FILE *out) {
  struct text_part rest = line, symbol = text_cut_global(&rest);
  const struct function_counters *function =
      part_starts_with(symbol, "@__covrec_")
          ? expressions_find_function(functions, symbol)
          : NULL;
  if (function && function->size)
    print_mapping(function, line, out);
  else
    print_mapping_uses(functions, line, out);
}

void expressions_free(struct module_functions *functions) {
  mapping_close(&functions->mapping);
  buffer_free(&functions->record);
  buffer_free(&functions->written);
  map_free(&functions->known);
  arena_free(&functions->memory);
}

/* ==== The next functions check a module. A function's counters and decisions
 * in the code are compared with the coverage mapping. clang does not count in
 * unreachable code, so the code may have fewer counters and decisions than the
 * mapping. */

static const char differs[] =
    "the counters in the code do not match the coverage mapping; compile with "
    "clang 14 to " LLVM_LAST_TEXT ", or with --counters=64";

/* More second keys of the map, for the kinds of calls that a function's code
 * contains. */
enum { INCREMENT = BY_NAME + 1, UPDATE, PARAMETERS };

const char *cc_parse_raw_version(struct text_part line, unsigned *raw) {
  if (!part_starts_with(line, "!") || !part_contains(line, "clang version "))
    return NULL;
  *raw = compiler_raw_version_in_text(
      (struct bytes){(const unsigned char *)line.at, line.size});
  return *raw ? NULL
              : "this clang release is not supported; compile with clang 13 "
                "to " LLVM_LAST_TEXT ", or with --counters=64";
}

/* ---- calls ---- */

/* Notes that a function's code contains this call. Returns the function. */
static struct function_counters *
note_counter_call(struct module_check_result *check,
                  const struct intrinsic_call *call, uint64_t kind,
                  uint64_t index) {
  struct function_counters *function =
      expressions_find_function(&check->functions, call->function);
  struct text_part hash = call->hash;
  uint64_t sum = text_parse_hash(&hash);
  if (!function || hash.size)
    raise_error(byte_counters_unknown);
  if (function->mapping.size && function->hash != sum)
    raise_error(differs);
  uint64_t *times =
      cc_map_find_or_add(&check->functions.known, function->name, kind, index);
  function->updates += kind == UPDATE && !*times;
  ++*times;
  return function;
}

/* Sets a number of a function, which every call has to repeat. */
static void set_or_compare_number(uint64_t *number, uint64_t value) {
  if (*number && *number != value)
    raise_error(differs);
  *number = value;
}

/* Returns whether a call stays as it is. An MC/DC call that reaches this
 * function is a call of clang 18. */
static bool note_if_unchanged_call(struct module_check_result *check,
                                   struct text_part line) {
  if (!part_skip_word(&line, "  call void @llvm.instrprof."))
    return false;
  bool old = part_starts_with(line, "mcdc.");
  check->old |= old;
  return old || part_starts_with(line, "value.profile(") ||
         part_starts_with(line, "timestamp(");
}

static void note_increment_call(struct module_check_result *check,
                                const struct intrinsic_call *call) {
  struct function_counters *function =
      note_counter_call(check, call, INCREMENT, call->index);
  struct text_part hash = call->hash, name = call->function;
  set_or_compare_number(&function->counters, call->counters);
  if (call->counters > COUNTERS_MOST)
    raise_error(byte_counters_unknown);
  if (!function->body) {
    part_skip_past(&name, "__profn_");
    name.size -= name.size && name.at[name.size - 1] == '"';
    function->symbol = text_hash(name);
    function->hash = text_parse_hash(&hash);
  }
  function->group = check->group;
  function->scattered |= function->body && function->body != check->bodies;
  function->alone &= !function->scattered;
  function->body = check->bodies;
}

static void note_intrinsic_call(struct module_check_result *check,
                                struct text_part line) {
  struct intrinsic_call call;
  struct outcome_call outcome;
  struct text_part value;
  if (call_parse_increment(line, &call) ||
      call_parse_step(line, &call, &value)) {
    note_increment_call(check, &call);
  } else if (call_parse_outcome(line, &outcome)) {
    note_counter_call(check, &outcome.call, UPDATE, outcome.call.index);
  } else if (call_parse_bit_count(line, &call)) {
    set_or_compare_number(&note_counter_call(check, &call, PARAMETERS, 0)->bits,
                          call.index);
  } else {
    check->done |= part_starts_with(line, "  call void @llvm.instrprof.cover(");
    if (!check->done && !note_if_unchanged_call(check, line))
      raise_error(byte_counters_unknown);
  }
}

/* ---- mappings ---- */

static bool function_has_call(const struct module_check_result *check,
                              const struct function_counters *function,
                              uint64_t kind, uint64_t index) {
  return map_find(&check->functions.known, function->name, kind, index);
}

/* Returns the first bit of a decision. The bits of a decision begin where the
 * bits of the decision before it end. */
static uint64_t find_first_decision_bit(const struct mapping *mapping,
                                        uint64_t end) {
  uint64_t begin = 0;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_DECISION &&
        mapping->regions[i].numbers[0] < end &&
        mapping->regions[i].numbers[0] > begin)
      begin = mapping->regions[i].numbers[0];
  return begin;
}

/* Checks the decisions of the code. For some decisions clang stores no outcome,
 * but every decision with a stored outcome must be in the mapping. */
static void check_decision_bits(const struct module_check_result *check,
                                const struct function_counters *function,
                                const struct mapping *mapping) {
  uint64_t bits = 0;
  size_t updates = 0;
  for (size_t i = 0; i < mapping->region_count; i++) {
    const struct region *region = &mapping->regions[i];
    if (region->kind != REGION_DECISION)
      continue;
    uint64_t end = region->numbers[0];
    bits = end > bits ? end : bits;
    updates += function_has_call(check, function, UPDATE,
                                 find_first_decision_bit(mapping, end));
  }
  if (bits != function->bits || updates < function->updates)
    raise_error(differs);
}

static uint64_t max_plain_counter(uint64_t most, uint64_t counter) {
  bool higher = counter % 4 == COUNTER_PLAIN && counter / 4 > most;
  return higher ? counter / 4 : most;
}

static void check_code_with_mapping(struct module_check_result *check,
                                    const struct function_counters *function) {
  const struct mapping *mapping =
      expressions_decode_mapping(&check->functions, function);
  uint64_t most = 0;
  for (size_t i = 0; i < mapping->region_count; i++) {
    most = max_plain_counter(most, mapping->regions[i].counter);
    most = max_plain_counter(most, mapping->regions[i].other);
  }
  for (size_t i = 0; i < mapping->expression_count; i++) {
    most = max_plain_counter(most, mapping->expressions[i].left);
    most = max_plain_counter(most, mapping->expressions[i].right);
  }
  if (most >= function->counters ||
      !function_has_call(check, function, INCREMENT, 0))
    raise_error(differs);
  /* In raw version 9 and older, bitmaps have other sizes, and the calls differ.
   */
  if (check->raw > 9)
    check_decision_bits(check, function, mapping);
}

void expressions_parse_and_check(struct module_check_result *check,
                                 struct bytes module) {
  for (struct text_part line; text_next_line(&module, &line);) {
    if (part_starts_with(line, "define ")) {
      bool local = part_starts_with(line, "define internal ") ||
                   part_starts_with(line, "define private ");
      check->bodies++;
      check->group = local ? -1 : text_find_attribute_group(line);
    } else if (part_starts_with(line, "@")) {
      parse_global_variable(&check->functions, line);
    } else if (part_starts_with(line, "  ") &&
               part_contains(line, "@llvm.instrprof.")) {
      note_intrinsic_call(check, line);
    } else {
      raise_if_error(cc_parse_raw_version(line, &check->raw));
    }
  }
  if (check->old && check->raw != 9)
    raise_error(byte_counters_unknown);
  for (const struct function_counters *function = check->functions.first;
       function && !check->done; function = function->next)
    if (function->used)
      check_code_with_mapping(check, function);
}
