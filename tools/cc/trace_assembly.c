/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Trace points (`labels`) in assembly: gives each label an instruction of its
 * own, and writes the section that ../image/linked_points.c reads. The second
 * part finds where decisions are open, for trace_ir.c.
 *
 * clang writes one instruction, label or directive per line. Inline assembly,
 * bareprof's labels too, is between the comments APP and NO_APP.
 *
 * A label's nop is removed if an instruction of the same block follows to which
 * nothing else jumps. A clang label between them may be a jump's target, unless
 * its kind is only used in tables.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../base/buffer.h"
#include "../base/error.h"
#include "../base/map.h"
#include "../object/digest.h"
#include "byte_counters.h"
#include "increment.h"
#include "trace_points.h"

enum { SYMBOLS_MOST = 1 << 26 };

static const char strange[] = "the assembly has an unsupported format; compile "
                              "with clang 14 to 23, or with --counters=64";

struct assembly_rewriter {
  struct trace_points *labels;
  FILE *out;
  const char *begin, *end;
  struct map symbols;      /* offsets of the symbols of counters and bitmaps */
  struct text_part function; /* the current function */
  struct text_part weak;     /* the last weak symbol */
  struct map bodies;       /* functions that have an entry in LABELS_BODIES */
  struct text_part group;  /* group of the current section, with ",comdat";
                              empty: none */
};

/* ---- lines ---- */

static struct text_part skip_blanks(struct text_part line) {
  part_skip_blanks(&line);
  return line;
}

static bool is_comment(struct text_part line) {
  return !line.size || *line.at == '@' || *line.at == '#' ||
         part_starts_with(line, "//");
}

/* Reads a name and a colon at the beginning of a line. */
static bool parse_label(struct text_part line, struct text_part *name) {
  bool quoted = false;
  size_t size = 0;
  if (!line.size || *line.at == ' ' || *line.at == '\t' || is_comment(line))
    return false;
  while (size < line.size && (quoted || line.at[size] != ':')) {
    quoted ^= line.at[size] == '"';
    size++;
  }
  *name = (struct text_part){line.at, size};
  return size < line.size;
}

/* Returns the name without quotes and without the .L of private names. */
static struct text_part strip_quotes(struct text_part name) {
  if (part_skip_word(&name, "\""))
    name.size--;
  part_skip_word(&name, ".L");
  return name;
}

static bool is_trace_point(struct text_part line) {
  return part_starts_with(line, TRACE_POINT_PREFIX);
}

/* ---- symbols ---- */

static uint64_t hash_name(struct text_part name) {
  return md5_low64(name.at, name.size);
}

static const char *find_counter_symbols(struct assembly_rewriter *room) {
  for (const char *at = room->begin; at < room->end;) {
    struct text_part line = part_line_at(at, room->end), name;
    at = line.at + line.size + 1;
    if (!parse_label(line, &name) ||
        (!part_starts_with(strip_quotes(name), "__profc_") &&
         !part_starts_with(strip_quotes(name), "__profbm_")))
      continue;
    uint64_t *offset =
        map_find_or_add(&room->symbols, hash_name(strip_quotes(name)), 0, 0);
    if (!offset)
      return out_of_memory;
    *offset = (uint64_t)(name.at - room->begin);
  }
  return NULL;
}

/* Sets *symbol to the name of a function's counters or bitmap in the
 * assembly. */
static bool find_symbol(const struct assembly_rewriter *room,
                        const struct trace_point *label,
                        struct text_part *symbol) {
  const char *prefix = label->kind == LABEL_COUNTER ? "__profc_" : "__profbm_";
  size_t size = strlen(prefix);
  char *name = malloc(size + label->name_size);
  if (!name)
    return false;
  memcpy(name, prefix, size);
  memcpy(name + size, room->labels->names.data + label->name, label->name_size);
  const uint64_t *offset = map_find(
      &room->symbols,
      hash_name((struct text_part){name, size + label->name_size}), 0, 0);
  free(name);
  return offset &&
         parse_label(part_line_at(room->begin + *offset, room->end), symbol);
}

/* ---- where code is ---- */

/* Reads "\t.section\t.text.f,\"axG\",%progbits,f,comdat". */
static void parse_section(struct assembly_rewriter *room,
                          struct text_part line) {
  struct text_part group = {line.at, 0};
  room->group = group;
  bool quoted = false, grouped = false;
  unsigned commas = 0;
  for (; line.size && commas < 3; part_cut_front(&line, 1)) {
    quoted ^= *line.at == '"';
    grouped |= commas == 1 && *line.at == 'G';
    commas += !quoted && *line.at == ',';
  }
  if (grouped && commas == 3)
    room->group = line;
}

static void track_assembly_line(struct assembly_rewriter *room,
                                struct text_part line) {
  struct text_part rest = skip_blanks(line);
  if (part_skip_word(&rest, ".section")) {
    parse_section(room, rest);
  } else if (part_starts_with(rest, ".text")) {
    room->group.size = 0;
  } else if (part_skip_word(&rest, ".type")) {
    rest = skip_blanks(rest);
    struct text_part name = rest;
    while (rest.size && *rest.at != ',')
      part_cut_front(&rest, 1);
    name.size = (size_t)(rest.at - name.at);
    if (part_contains(rest, "function"))
      room->function = name;
  } else if (part_skip_word(&rest, ".weak")) {
    room->weak = rest = skip_blanks(rest);
    while (rest.size && *rest.at != ' ' && *rest.at != '\t')
      part_cut_front(&rest, 1);
    room->weak.size -= rest.size;
  }
}

/* ---- the code after a label ---- */

static bool is_table_label(struct text_part line) {
  static const char *const kinds[] = {".Ltmp", ".Lpcrel_hi", ".LPC", NULL};
  for (unsigned i = 0; kinds[i]; i++)
    if (part_starts_with(line, kinds[i]))
      return true;
  return false;
}

static bool is_codeless_directive(struct text_part line) {
  static const char *const words[] = {".loc",  ".cfi_",  ".save",
                                      ".pad",  ".setfp", ".option",
                                      ".file", ".vsave", NULL};
  for (unsigned i = 0; words[i]; i++)
    if (part_starts_with(line, words[i]))
      return true;
  return false;
}

/* Whether a linker for RISC-V may delete the instruction, because its symbol is
 * near the global or thread pointer. */
static bool may_be_relaxed(struct text_part line) {
  return part_starts_with(line, "lui") || part_starts_with(line, "c.lui") ||
         part_starts_with(line, "auipc") || part_contains(line, "%tprel_add");
}

/* Whether the next instruction runs as often as the code before it. */
static bool is_followed_by_code(const struct assembly_rewriter *room,
                                const char *at) {
  bool foreign = false; /* in inline assembly, whose labels look like clang's */
  while (at < room->end) {
    struct text_part line = part_line_at(at, room->end),
                     text = skip_blanks(line), name;
    at = line.at + line.size + 1;
    if (is_trace_point(line))
      return true;
    if (is_comment(text))
      foreign = part_contains(text, "APP") && !part_contains(text, "NO_APP");
    else if (foreign)
      return false;
    else if (parse_label(line, &name)
                 ? !is_table_label(line)
                 : *text.at == '.' && !is_codeless_directive(text))
      return false;
    else if (!parse_label(line, &name) && *text.at != '.' &&
             !may_be_relaxed(text))
      return true;
  }
  return false;
}

/* ---- writing ---- */

/* Writes the function's entry once. If a function is weak, its symbol may mean
 * another function that overrides it, so its first label is used. */
static const char *print_function_entry(struct assembly_rewriter *room,
                                        struct text_part label) {
  struct text_part body = room->function;
  if (!room->group.size && part_equals(body, room->weak))
    body = label;
  size_t known = room->bodies.count;
  if (!map_find_or_add(&room->bodies, hash_name(room->function), 0, 0))
    return out_of_memory;
  if (room->bodies.count == known)
    return NULL;
  fprintf(room->out, "\t.pushsection\t" LABELS_BODIES ",\"%s\",%%progbits",
          room->group.size ? "G" : "");
  if (room->group.size)
    fprintf(room->out, ",%.*s", (int)room->group.size, room->group.at);
  fprintf(room->out, "\n\t%s\t%.*s\n\t.popsection\n",
          room->labels->wide ? ".quad" : ".long", (int)body.size, body.at);
  return NULL;
}

/* Linkers drop an entry together with its function: the entry is in the
 * function's group, or linked to its section. */
static const char *print_point_entry(struct assembly_rewriter *room,
                                     struct text_part name,
                                     const struct trace_point *label) {
  const char *word = room->labels->wide ? ".quad" : ".long";
  struct text_part symbol;
  if (!find_symbol(room, label, &symbol) || !room->function.size)
    return strange;
  uint32_t what =
      (uint32_t)label->kind << LABEL_KIND_SHIFT | (uint32_t)label->value;
  struct text_part owner = room->group.size ? room->group : room->function;
  fprintf(room->out,
          "\t.pushsection\t" LABELS_SECTION ",\"%s\",%%progbits,%.*s\n"
          "\t%s\t%.*s\n\t%s\t%.*s\n\t.long\t0x%" PRIx32
          "\n\t.long\t%zu\n\t.popsection\n",
          room->group.size ? "G" : "o", (int)owner.size, owner.at, word,
          (int)name.size, name.at, word, (int)symbol.size, symbol.at, what,
          label->slot);
  return print_function_entry(room, name);
}

/* Writes a label and its entry. *at: after the label's line; moves past the
 * nop. */
static const char *print_point(struct assembly_rewriter *room,
                               struct text_part name, const char **at) {
  const struct trace_point *list =
      (const struct trace_point *)room->labels->list.data;
  struct text_part rest = name, nop;
  part_skip_word(&rest, TRACE_POINT_PREFIX);
  size_t number = (size_t)strtoul(rest.at, NULL, 10);
  do {
    nop = part_line_at(*at, room->end);
    *at = nop.at + nop.size + 1;
  } while (*at < room->end && !skip_blanks(nop).size);
  if (number >= room->labels->list.size / sizeof *list ||
      (!part_starts_with(skip_blanks(nop), "nop") &&
       !part_starts_with(skip_blanks(nop), "c.nop")))
    return strange;
  fprintf(room->out, "%.*s:\n", (int)name.size, name.at);
  const char *error = print_point_entry(room, name, &list[number]);
  if (error || is_followed_by_code(room, *at))
    return error;
  room->labels->nops++;
  fprintf(room->out, "%.*s\n", (int)nop.size, nop.at);
  return NULL;
}

static const char *print_assembly(struct assembly_rewriter *room) {
  const char *error = find_counter_symbols(room);
  for (const char *at = room->begin; at < room->end && !error;) {
    struct text_part line = part_line_at(at, room->end), name;
    at = line.at + line.size + 1;
    track_assembly_line(room, line);
    if (is_trace_point(line) && parse_label(line, &name))
      error = print_point(room, name, &at);
    else
      fprintf(room->out, "%.*s\n", (int)line.size, line.at);
  }
  return error;
}

const char *trace_points_assemble(struct trace_points *labels,
                                  struct bytes assembly, FILE *out) {
  const char *begin = (const char *)assembly.data;
  struct assembly_rewriter room = {.labels = labels,
                                   .out = out,
                                   .begin = begin,
                                   .end = begin + assembly.size,
                                   .symbols = {.limit = SYMBOLS_MOST},
                                   .bodies = {.limit = SYMBOLS_MOST}};
  const char *error = print_assembly(&room);
  map_free(&room.symbols);
  map_free(&room.bodies);
  return error;
}

/* ---- open decisions ----
 *
 * Follows decisions forwards through a function's control-flow graph. A
 * decision may be open before a line if it is open on some path to the line.
 * Paths that cannot be taken only add decisions. */

enum { SLOTS_MOST = 64 };

/* The state before a block: open decisions, one bit each; and whether any path
 * reaches the block. */
struct block_entry_state {
  uint64_t open;
  bool reached;
};

static uint64_t decision_bit(const struct decision_step *step) {
  return UINT64_C(1) << step->slot;
}

/* Returns the open decisions after a block. notes: sets `within` in its
 * steps. */
static uint64_t pass_block(struct decision_step *steps,
                           const struct cfg_block *block, uint64_t open,
                           bool notes) {
  for (size_t i = block->begin; i < block->end; i++) {
    struct decision_step *step = &steps[i];
    if (step->kind == STEP_BEGINS)
      open |= decision_bit(step);
    else if (step->kind == STEP_ENDS)
      open &= ~decision_bit(step);
    else if (step->kind == STEP_ADDS && notes)
      step->within |= (open & decision_bit(step)) != 0;
  }
  return open;
}

/* Repeats until no edge changes the state of a block. */
static void propagate_open(struct decision_step *steps, const struct cfg *flow,
                           struct block_entry_state *list) {
  const struct cfg_block *blocks = cfg_blocks(flow);
  const struct cfg_edge *edges = cfg_edges(flow);
  list[0].reached = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < flow->block_count; i++) {
      if (!list[i].reached)
        continue;
      uint64_t open = pass_block(steps, &blocks[i], list[i].open, false);
      for (size_t k = blocks[i].edges; k < blocks[i].last; k++) {
        struct block_entry_state *to = &list[edges[k].to];
        more |= !to->reached || (open & ~to->open);
        to->reached = true;
        to->open |= open;
      }
    }
  }
}

/* Sets `within` in all steps. Returns whether the function may return while a
 * decision is open. */
static bool mark_open_steps(struct decision_step *steps, const struct cfg *flow,
                            const struct block_entry_state *list) {
  const struct cfg_block *blocks = cfg_blocks(flow);
  bool leaves = false;
  for (size_t i = 0; i < flow->block_count; i++) {
    bool ends = blocks[i].edges == blocks[i].last;
    uint64_t open =
        list[i].reached ? pass_block(steps, &blocks[i], list[i].open, true) : 0;
    leaves |= ends && open;
  }
  return leaves;
}

const char *trace_mark_open(struct decision_step *steps,
                            const struct text_part *lines, size_t count,
                            bool *leaves) {
  struct cfg flow;
  struct block_entry_state *list = NULL;
  *leaves = false;
  for (size_t i = 0; i < count; i++)
    if (steps[i].slot >= SLOTS_MOST)
      return "the code has more than 64 nested decisions";
  const char *error = cfg_read(&flow, lines, count);
  if (!error) {
    list = calloc(flow.block_count + 1, sizeof *list);
    error = list ? NULL : out_of_memory;
  }
  if (!error && flow.block_count) {
    propagate_open(steps, &flow, list);
    *leaves = mark_open_steps(steps, &flow, list);
  }
  free(list);
  cfg_free(&flow);
  return error;
}
