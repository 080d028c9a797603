/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads, changes and writes the coverage mappings in a module, and checks that
 * they agree with the code. Lines of global variables come in; byte_counters.c
 * writes the result. A mapping is the string in
 *
 *   @__covrec_1Fu = linkonce_odr hidden constant
 *   <{ i64, i32, i64, i64, [9 x i8] }> <{ i64 NAME, i32 9, i64 HASH, i64 FILES,
 *   [9 x i8] c"\01..." }>, ...
 *
 * which is one line. clang 14 repeats the type wherever it uses the variable.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../image/raw_version.h"
#include "../object/digest.h"
#include "byte_counters.h"
#include "increment.h"

enum { MOST = 1 << 30 };

static const char strange[] =
    "the coverage mapping has an unsupported format; compile with clang 14 to "
    "23, or with --counters=64";

uint64_t expressions_name_key(struct text_part name) {
  return md5_low64(name.at, name.size);
}

struct function_counters *
expressions_function_at(const struct module_functions *differences,
                        size_t number) {
  return (struct function_counters *)differences->list.data + number - 1;
}

static size_t count_functions(const struct module_functions *differences) {
  return differences->list.size / sizeof(struct function_counters);
}

/* ---- strings ---- */

static unsigned hex_digit(char c) {
  return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10) & 15;
}

/* Decodes a string in LLVM's notation, up to the closing quote. Returns NULL or
 * the error. */
static const char *parse_string(struct text_part text, struct buffer *to) {
  const char *error = NULL;
  while (text.size && *text.at != '"' && !error) {
    unsigned char byte = (unsigned char)*text.at;
    bool escaped = byte == '\\' && text.size > 2;
    if (escaped && text.at[1] != '\\')
      byte =
          (unsigned char)(hex_digit(text.at[1]) << 4 | hex_digit(text.at[2]));
    part_cut_front(&text, !escaped ? 1 : text.at[1] == '\\' ? 2 : 3);
    error = buffer_append(to, &byte, 1);
  }
  return error;
}

/* ---- reading ---- */

static struct function_counters *
find_or_add_function(struct module_functions *differences, struct map *known,
                     uint64_t name) {
  struct function_counters function = {.name = name, .record = {.limit = MOST}};
  uint64_t *number = map_find_or_add(known, name, 1, 0);
  if (!number)
    return NULL;
  if (!*number) {
    if (buffer_append_bytes(&differences->list, &function, sizeof function))
      return NULL;
    *number = count_functions(differences);
  }
  return expressions_function_at(differences, (size_t)*number);
}

static const char *parse_name(struct module_functions *differences,
                              struct map *known, struct text_part symbol,
                              struct text_part line) {
  struct buffer name = {.limit = MOST};
  bool alone = part_starts_with(line, " = private ");
  if (!part_skip_to(&line, " c\""))
    return strange;
  const char *error = parse_string(line, &name);
  uint64_t sum = error ? 0 : md5_low64(name.data, name.size);
  buffer_free(&name);
  if (!error && !find_or_add_function(differences, known, sum))
    error = out_of_memory;
  uint64_t *number =
      error ? NULL : map_find_or_add(known, expressions_name_key(symbol), 0, 0);
  if (!error && !number)
    error = out_of_memory;
  if (!error) {
    *number = *map_find(known, sum, 1, 0);
    expressions_function_at(differences, (size_t)*number)->alone = alone;
  }
  return error;
}

/* The type of a mapping's variable begins with this. */
static const char type_word[] = " <{ i64, i32, i64, i64, [";

const char *expressions_parse_line(struct module_functions *differences,
                                   struct map *known, struct text_part line) {
  struct text_part symbol = text_cut_global(&line);
  if (part_starts_with(symbol, "@__profn_") ||
      part_starts_with(symbol, "@\"__profn_"))
    return parse_name(differences, known, symbol, line);
  if (!part_starts_with(symbol, "@__covrec_"))
    return NULL;
  /* The numbers: the length, three times; the name, the hash and the files. */
  static const char *const words[] = {
      " x i8] }> <{ i64 ", ", i32 ", ", i64 ", ", i64 ", ", [", " x i8] c\""};
  uint64_t numbers[6];
  bool known_form = part_skip_to(&line, type_word);
  for (unsigned i = 0; i < 6 && known_form; i++) {
    numbers[i] = text_parse_hash(&line);
    known_form = part_skip_word(&line, words[i]);
  }
  if (!known_form || numbers[0] != numbers[2] || numbers[0] != numbers[5])
    return strange;
  struct function_counters *function =
      find_or_add_function(differences, known, numbers[1]);
  if (!function)
    return out_of_memory;
  function->hash = numbers[3];
  function->files = numbers[4];
  function->mapping = line;
  function->length = (size_t)numbers[0];
  function->used = symbol.at[symbol.size - 1] == 'u';
  if (!part_skip_to(&line, "\"") || !part_starts_with(line, " }>, section \""))
    return strange;
  uint64_t *number = map_find_or_add(known, expressions_name_key(symbol), 0, 0);
  if (!number)
    return out_of_memory;
  *number = *map_find(known, function->name, 1, 0);
  return NULL;
}

/* ---- expressions ---- */

/* Index of an expression: an expression has two values, as a difference and as
 * a sum. */
static size_t expression_slot(uint64_t counter) {
  return (size_t)(counter / 4 * 2 + counter % 2);
}

/* Lists the expressions, each after its operands. In a cycle the order is not
 * defined. */
static const char *sort_expressions(struct function_counters *function) {
  size_t count = function->expression_count, depth = 0, done = 0;
  unsigned char *seen = calloc(count + 1, 1);
  size_t *stack = malloc((3 * count + 1) * sizeof *stack);
  function->order = malloc((count + 1) * sizeof *function->order);
  const char *error = seen && stack && function->order ? NULL : out_of_memory;
  for (size_t i = 0; i < count && !error; i++) {
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
  free(seen);
  free(stack);
  return error;
}

uint64_t expressions_counter_value(const struct function_counters *function,
                                   uint64_t counter, const uint64_t *values,
                                   const uint64_t *sums) {
  switch (counter % 4) {
  case COUNTER_ZERO:
    return 0;
  case COUNTER_PLAIN:
    return counter / 4 < function->counters ? values[counter / 4] : 0;
  default:
    return sums[expression_slot(counter)];
  }
}

uint64_t *expressions_evaluate(const struct function_counters *function,
                               const uint64_t *values) {
  size_t count = function->expression_count;
  uint64_t *sums = calloc(2 * count + 1, sizeof *sums);
  for (size_t i = 0; sums && i < count; i++) {
    size_t at = function->order[i];
    const struct counter_expression *it = &function->expressions[at];
    uint64_t left = expressions_counter_value(function, it->left, values, sums);
    uint64_t right =
        expressions_counter_value(function, it->right, values, sums);
    sums[expression_slot(at * 4 + COUNTER_LESS)] = left - right;
    sums[expression_slot(at * 4 + COUNTER_SUM)] = left + right;
  }
  return sums;
}

size_t expressions_counter_number(const struct function_counters *function,
                                  uint64_t counter) {
  return counter % 4 < COUNTER_LESS
             ? (size_t)(counter / 4)
             : function->numbers[expression_slot(counter)];
}

bool expressions_sum_operands(const struct function_counters *function,
                              uint64_t counter, uint64_t parts[2]) {
  if (counter % 4 != COUNTER_SUM)
    return false;
  parts[0] = function->expressions[counter / 4].left;
  parts[1] = function->expressions[counter / 4].right;
  return true;
}

/* Sets less[i] if expression i has a difference among its operands, at any
 * depth. */
static void mark_differences(const struct function_counters *function,
                             bool *less) {
  for (size_t i = 0; i < function->expression_count; i++) {
    size_t at = function->order[i];
    const struct counter_expression *it = &function->expressions[at];
    less[at] = it->left % 4 == COUNTER_LESS || it->right % 4 == COUNTER_LESS;
    less[at] |= it->left % 4 == COUNTER_SUM && less[it->left / 4];
    less[at] |= it->right % 4 == COUNTER_SUM && less[it->right / 4];
  }
}

/* Replaces a counter that is a difference, or contains one, with a new counter.
 * *sums: the mapping still needs its expressions. */
static const char *replace_difference(struct function_counters *function,
                                      const struct region *region,
                                      uint64_t *counter, const bool *less,
                                      bool *sums) {
  if (*counter % 4 < COUNTER_LESS)
    return NULL;
  if (*counter % 4 == COUNTER_SUM && !less[*counter / 4]) {
    *sums = true;
    return NULL;
  }
  size_t *number = &function->numbers[expression_slot(*counter)];
  if (*number == SIZE_MAX) {
    if (!list_make_room(&function->list, function->count,
                        sizeof *function->list))
      return out_of_memory;
    *number = (size_t)function->counters + function->count;
    function->list[function->count++] = (struct difference){*counter, false};
  }
  function->list[*number - function->counters].wide |=
      position_order(region->begin) != position_order(region->end);
  *counter = *number * 4 + COUNTER_PLAIN;
  return NULL;
}

/* Copies the expressions as clang wrote them. */
static const char *copy_expressions(struct function_counters *function,
                                    const struct mapping *mapping) {
  size_t count = mapping->expression_count;
  size_t size = count * sizeof *function->expressions;
  function->expressions = malloc(size + sizeof *function->expressions);
  function->numbers = malloc((2 * count + 1) * sizeof *function->numbers);
  if (!function->expressions || !function->numbers)
    return out_of_memory;
  if (size)
    memcpy(function->expressions, mapping->expressions, size);
  for (size_t i = 0; i < 2 * count; i++)
    function->numbers[i] = SIZE_MAX;
  function->expression_count = count;
  return sort_expressions(function);
}

static const char *replace_differences(struct function_counters *function,
                                       struct mapping *mapping) {
  bool *less = calloc(mapping->expression_count + 1, sizeof *less);
  bool sums = false;
  const char *error = copy_expressions(function, mapping);
  if (!less)
    error = out_of_memory;
  if (!error)
    mark_differences(function, less);
  for (size_t i = 0; i < mapping->region_count && !error; i++) {
    struct region *region = &mapping->regions[i];
    error = replace_difference(function, region, &region->counter, less, &sums);
    if (!error &&
        (region->kind == REGION_BRANCH || region->kind == REGION_MCDC_BRANCH))
      error = replace_difference(function, region, &region->other, less, &sums);
  }
  free(less);
  if (!sums)
    mapping->expression_count = 0;
  return error;
}

const char *expressions_open_mapping(const struct function_counters *function,
                                     struct mapping *mapping,
                                     struct buffer *record) {
  static const unsigned char zeros[MAPPING_HEADER];
  *mapping = (struct mapping){.region_list = {.limit = MOST},
                              .expression_list = {.limit = MOST},
                              .files = {.limit = MOST}};
  *record = (struct buffer){.limit = MOST};
  const char *error = buffer_append_bytes(record, zeros, sizeof zeros);
  if (!error)
    error = parse_string(function->mapping, record);
  if (!error && record->size != MAPPING_HEADER + function->length)
    error = strange;
  if (!error)
    error = mapping_read_record(mapping,
                                (struct bytes){record->data, record->size});
  return error;
}

const char *expressions_set_mapping(struct function_counters *function,
                                    const struct mapping *mapping) {
  function->record.size = 0;
  const char *error = mapping_append_record(mapping, &function->record);
  if (!error)
    function->size = load32(function->record.data + 8, false);
  return error;
}

uint64_t expressions_mix_hash(uint64_t sum, uint64_t number) {
  sum = (sum + number + 1) * UINT64_C(0x9E3779B97F4A7C15);
  return (sum ^ sum >> 29) >> 4;
}

/* Adds to the hash the meaning of the new counters: their values for arbitrary
 * values of clang's counters. */
static const char *hash_new_counters(struct function_counters *function) {
  uint64_t *plain = calloc(function->counters + 1, sizeof *plain);
  for (uint64_t i = 0; plain && i < function->counters; i++)
    plain[i] = expressions_mix_hash(0, i);
  uint64_t *sums = plain ? expressions_evaluate(function, plain) : NULL;
  for (size_t i = 0; sums && i < function->count; i++)
    function->hash = expressions_mix_hash(
        function->hash, expressions_counter_value(
                            function, function->list[i].counter, plain, sums));
  function->own = true;
  free(plain);
  free(sums);
  return sums ? NULL : out_of_memory;
}

static const char *number_function(struct function_counters *function) {
  struct mapping mapping;
  struct buffer old;
  const char *error = expressions_open_mapping(function, &mapping, &old);
  if (!error)
    error = replace_differences(function, &mapping);
  if (!error && function->count)
    error = expressions_set_mapping(function, &mapping);
  if (!error && function->count)
    error = hash_new_counters(function);
  mapping_close(&mapping);
  buffer_free(&old);
  return error;
}

const char *expressions_add_counters(struct module_functions *differences) {
  const char *error = NULL;
  for (size_t i = 1; i <= count_functions(differences) && !error; i++) {
    struct function_counters *function =
        expressions_function_at(differences, i);
    if (function->counters && function->mapping.size)
      error = number_function(function);
  }
  return error;
}

/* ---- writing ---- */

/* Returns the function of a mapping if the mapping is new, otherwise NULL. */
static const struct function_counters *
find_changed_function(const struct module_functions *differences,
                      const struct map *known, struct text_part symbol) {
  const uint64_t *at = map_find(known, expressions_name_key(symbol), 0, 0);
  const struct function_counters *function =
      at ? expressions_function_at(differences, (size_t)*at) : NULL;
  return function && function->size ? function : NULL;
}

/* Cuts off "[9 x i8] }>* ", the type before "@__covrec_1Fu". */
static bool skip_array_type(struct text_part *line) {
  size_t digits = 0;
  struct text_part at = *line;
  if (!part_skip_word(&at, "["))
    return false;
  while (digits < at.size && at.at[digits] >= '0' && at.at[digits] <= '9')
    digits++;
  part_cut_front(&at, digits);
  if (!part_skip_word(&at, " x i8] }>* ") ||
      !part_starts_with(at, "@__covrec_"))
    return false;
  *line = at;
  return true;
}

/* Writes a symbol with the hash, because another object may have another
 * mapping. */
static void print_symbol(const struct function_counters *function,
                         struct text_part symbol, FILE *out) {
  part_print_text(out, symbol);
  if (function->own)
    fprintf(out, ".%016" PRIx64, function->hash);
}

static void print_uses(const struct module_functions *differences,
                       const struct map *known, struct text_part line,
                       FILE *out) {
  while (line.size) {
    struct text_part at = line, symbol;
    const struct function_counters *function = NULL;
    bool typed = skip_array_type(&at);
    if (part_starts_with(at, "@__covrec_")) {
      symbol = text_cut_global(&at);
      function = find_changed_function(differences, known, symbol);
    }
    if (function && typed)
      fprintf(out, "[%zu x i8] }>* ", function->size);
    if (function) {
      print_symbol(function, symbol, out);
      line = at;
    } else {
      part_print_text(out, part_cut_front(&line, 1));
    }
  }
  fputc('\n', out);
}

/* Writes "$__covrec_1Fu = comdat any" with the new symbol. */
static void print_comdat(const struct module_functions *differences,
                         const struct map *known, struct text_part line,
                         FILE *out) {
  char name[60] = "";
  struct text_part rest = line, symbol = {name, 0};
  while (rest.size && *rest.at != ' ' && symbol.size < sizeof name - 1)
    name[symbol.size++] = *part_cut_front(&rest, 1).at;
  *name = '@';
  const struct function_counters *function =
      find_changed_function(differences, known, symbol);
  *name = '$';
  if (function)
    print_symbol(function, symbol, out);
  part_print_text(out, function ? rest : line);
  fputc('\n', out);
}

/* Writes a mapping's variable with its new type, sizes and string. */
static void print_mapping(const struct function_counters *function,
                          struct text_part line, FILE *out) {
  struct text_part rest = line;
  print_symbol(function, text_cut_global(&line), out);
  part_skip_to(&rest, type_word);
  part_print_text(out,
                  (struct text_part){line.at, (size_t)(rest.at - line.at)});
  fprintf(out,
          "%zu x i8] }> <{ i64 %" PRId64 ", i32 %zu, i64 %" PRId64
          ", i64 %" PRId64 ", [%zu x i8] c\"",
          function->size, (int64_t)function->name, function->size,
          (int64_t)function->hash, (int64_t)function->files, function->size);
  for (size_t i = 0; i < function->size; i++)
    fprintf(out, "\\%02X", function->record.data[MAPPING_HEADER + i]);
  part_skip_to(&rest, " c\"");
  part_skip_to(&rest, "\"");
  fputc('"', out);
  part_print_text(out, rest);
  fputc('\n', out);
}

const char *expressions_print_line(const struct module_functions *differences,
                                   const struct map *known,
                                   struct text_part line, FILE *out) {
  struct text_part rest = line, symbol = text_cut_global(&rest);
  const struct function_counters *function = NULL;
  if (part_starts_with(symbol, "@__covrec_"))
    function = find_changed_function(differences, known, symbol);
  if (part_starts_with(line, "$__covrec_"))
    print_comdat(differences, known, line, out);
  else if (function)
    print_mapping(function, line, out);
  else
    print_uses(differences, known, line, out);
  return NULL;
}

void expressions_free(struct module_functions *differences) {
  for (size_t i = 1; i <= count_functions(differences); i++) {
    struct function_counters *function =
        expressions_function_at(differences, i);
    free(function->list);
    free(function->expressions);
    free(function->order);
    free(function->numbers);
    buffer_free(&function->record);
  }
  buffer_free(&differences->list);
}

/* ==== The check. A function's counters and decisions in the code are compared
 * with those in its coverage mapping. Unreachable code has neither, so the code
 * may have fewer. */

static const char unknown_release[] =
    "this clang release is not supported; compile with clang 13 to 23, or with "
    "--counters=64";

static const char differs[] =
    "the counters in the code do not match the coverage mapping; compile with "
    "clang 14 to 23, or with --counters=64";

/* The map's third keys: the parts of a function that its code has. */
enum { INCREMENT = 2, UPDATE, PARAMETERS };

struct module_check {
  struct module_functions list;
  struct map known; /* functions, by the variables of their names; and by a
                       function's name: INCREMENT with an index, UPDATE with a
                       decision's first bit */
  unsigned raw;     /* of the clang that wrote the module; 0: not known */
  bool old;         /* the module has MC/DC calls of clang 18 */
  bool done;        /* the module has byte counters already */
};

const char *cc_check_compiler(struct text_part line, unsigned *raw) {
  if (!part_starts_with(line, "!") || !part_contains(line, "clang version "))
    return NULL;
  *raw = compiler_raw_version_in(
      (struct bytes){(const unsigned char *)line.at, line.size});
  return *raw ? NULL : unknown_release;
}

/* ---- calls ---- */

static struct function_counters *find_function(const struct module_check *check,
                                               struct text_part name) {
  const uint64_t *number =
      map_find(&check->known, expressions_name_key(name), 0, 0);
  return number ? expressions_function_at(&check->list, (size_t)*number) : NULL;
}

/* Stores that a function's code has this call. Returns NULL or the error. */
static const char *note_call(struct module_check *check,
                             const struct intrinsic_call *call, uint64_t kind,
                             uint64_t index) {
  struct function_counters *function = find_function(check, call->function);
  struct text_part hash = call->hash;
  uint64_t sum = text_parse_hash(&hash);
  if (!function || hash.size)
    return byte_counters_unknown;
  if (function->mapping.size && function->hash != sum)
    return differs;
  uint64_t *times = map_find_or_add(&check->known, function->name, kind, index);
  if (!times)
    return out_of_memory;
  function->updates += kind == UPDATE && !*times;
  ++*times;
  return NULL;
}

/* Whether a call is left as it is. An MC/DC call that gets here is one of clang
 * 18. */
static bool is_unchanged_call(struct module_check *check,
                              struct text_part line) {
  if (!part_skip_word(&line, "  call void @llvm.instrprof."))
    return false;
  bool old = part_starts_with(line, "mcdc.");
  check->old |= old;
  return old || part_starts_with(line, "value.profile(") ||
         part_starts_with(line, "timestamp(");
}

static const char *check_call(struct module_check *check,
                              struct text_part line) {
  struct intrinsic_call call;
  struct outcome_call outcome;
  struct text_part value;
  if (call_parse_increment(line, &call) ||
      call_parse_step(line, &call, &value)) {
    const char *error = note_call(check, &call, INCREMENT, call.index);
    if (error)
      return error;
    struct function_counters *function = find_function(check, call.function);
    bool other = function->counters && function->counters != call.counters;
    function->counters = call.counters;
    return other ? differs : NULL;
  }
  if (call_parse_outcome(line, &outcome))
    return note_call(check, &outcome.call, UPDATE, outcome.call.index);
  if (call_parse_bit_count(line, &call)) {
    const char *error = note_call(check, &call, PARAMETERS, 0);
    struct function_counters *function =
        error ? NULL : find_function(check, call.function);
    if (function && function->bits && function->bits != call.index)
      error = differs;
    if (function)
      function->bits = call.index;
    return error;
  }
  check->done |= part_starts_with(line, "  call void @llvm.instrprof.cover(");
  return check->done || is_unchanged_call(check, line) ? NULL
                                                       : byte_counters_unknown;
}

static const char *check_line(struct module_check *check,
                              struct text_part line) {
  if (part_starts_with(line, "@"))
    return expressions_parse_line(&check->list, &check->known, line);
  if (part_starts_with(line, "  ") && part_contains(line, "@llvm.instrprof."))
    return check_call(check, line);
  return cc_check_compiler(line, &check->raw);
}

/* ---- mappings ---- */

static bool has_call(const struct module_check *check,
                     const struct function_counters *function, uint64_t kind,
                     uint64_t index) {
  return map_find(&check->known, function->name, kind, index);
}

/* Returns where the bits of a decision begin: where the bits of the decision
 * before it end. */
static uint64_t find_bits_begin(const struct mapping *mapping, uint64_t end) {
  uint64_t begin = 0;
  for (size_t i = 0; i < mapping->region_count; i++)
    if (mapping->regions[i].kind == REGION_DECISION &&
        mapping->regions[i].numbers[0] < end &&
        mapping->regions[i].numbers[0] > begin)
      begin = mapping->regions[i].numbers[0];
  return begin;
}

/* clang stores no outcome for some decisions, but never one for a decision that
 * is not in the mapping. */
static const char *compare_decisions(const struct module_check *check,
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
    updates += has_call(check, function, UPDATE, find_bits_begin(mapping, end));
  }
  return bits == function->bits && updates >= function->updates ? NULL
                                                                : differs;
}

static uint64_t max_plain_counter(uint64_t most, uint64_t counter) {
  bool higher = counter % 4 == COUNTER_PLAIN && counter / 4 > most;
  return higher ? counter / 4 : most;
}

static const char *
compare_with_mapping(const struct module_check *check,
                     const struct function_counters *function) {
  struct mapping mapping;
  struct buffer record;
  const char *error = expressions_open_mapping(function, &mapping, &record);
  uint64_t most = 0;
  for (size_t i = 0; i < mapping.region_count && !error; i++) {
    most = max_plain_counter(most, mapping.regions[i].counter);
    most = max_plain_counter(most, mapping.regions[i].other);
  }
  for (size_t i = 0; i < mapping.expression_count && !error; i++) {
    most = max_plain_counter(most, mapping.expressions[i].left);
    most = max_plain_counter(most, mapping.expressions[i].right);
  }
  if (!error &&
      (most >= function->counters || !has_call(check, function, INCREMENT, 0)))
    error = differs;
  /* Up to raw version 9, bitmaps have other sizes and calls. */
  if (!error && check->raw > 9)
    error = compare_decisions(check, function, &mapping);
  mapping_close(&mapping);
  buffer_free(&record);
  return error;
}

const char *cc_check_module(struct bytes module) {
  struct module_check check = {.known = {.limit = BYTE_COUNTERS_MOST},
                               .list = {.list = {.limit = BYTE_COUNTERS_MOST}}};
  const char *error = NULL;
  for (struct bytes one; !error && bytes_next_line(&module, &one);)
    error = check_line(&check,
                       (struct text_part){(const char *)one.data, one.size});
  if (!error && check.old && check.raw != 9)
    error = byte_counters_unknown;
  size_t count = check.list.list.size / sizeof(struct function_counters);
  for (size_t i = 1; i <= count && !error && !check.done; i++) {
    const struct function_counters *function =
        expressions_function_at(&check.list, i);
    if (function->used)
      error = compare_with_mapping(&check, function);
  }
  expressions_free(&check.list);
  map_free(&check.known);
  return error;
}
