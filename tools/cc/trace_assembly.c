/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changes trace points in assembly: moves each label to an instruction that
 * runs as often as the code before it, and writes the section that
 * ../image/linked_points.c reads. Labels that follow each other may share an
 * instruction. The second part finds where decisions are open, for trace_ir.c.
 *
 * clang writes one instruction, label or directive per line. Inline assembly,
 * which includes bareprof's labels, is between the comments APP and NO_APP.
 *
 * A label's nop is removed if an instruction of the same block follows to which
 * nothing else jumps. If a label of clang stands between the two, it may be the
 * target of a jump, unless labels of its kind are only used in tables.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../base/error.h"
#include "../base/llvm.h"
#include "trace_points.h"

static const char strange[] =
    "the assembly has an unsupported format; compile with clang 14 "
    "to " LLVM_LAST_TEXT ", or with --counters=64";

struct assembly_rewriter {
  struct trace_points *points;
  FILE *out;
  struct bytes assembly, rest;
  struct map symbols; /* maps the hash of the name of counters or bitmaps to the
                         offset of this symbol in `assembly` */
  struct text_part function; /* the name of the current function */
  struct text_part weak;     /* the name of the last weak symbol */
  struct map bodies;         /* a set of the functions that have an entry in
                                LABELS_BODIES */
  /* the group of the current section, with ",comdat"; empty: none */
  struct text_part group;
};

/* ---- lines ---- */

static struct text_part skip_blanks(struct text_part line) {
  part_skip_blanks(&line);
  return line;
}

static bool is_empty_or_comment(struct text_part line) {
  return !line.size || *line.at == '@' || *line.at == '#' ||
         part_starts_with(line, "//");
}

/* Returns whether the text begins with one of these words. */
static bool starts_with_any(struct text_part text, const char *const *words) {
  while (*words && !part_starts_with(text, *words))
    words++;
  return *words;
}

/* Parses a name and a colon at the beginning of a line. */
static bool parse_label(struct text_part line, struct text_part *name) {
  bool quoted = false;
  size_t size = 0;
  if (!line.size || *line.at == ' ' || *line.at == '\t' ||
      is_empty_or_comment(line))
    return false;
  while (size < line.size && (quoted || line.at[size] != ':')) {
    quoted ^= line.at[size] == '"';
    size++;
  }
  *name = (struct text_part){line.at, size};
  return size < line.size;
}

/* Returns the name without quotes, and without the .L of private names. */
static struct text_part strip_symbol_name(struct text_part name) {
  if (part_skip_word(&name, "\""))
    name.size--;
  part_skip_word(&name, ".L");
  return name;
}

/* ---- symbols ---- */

static const char *const symbol_prefixes[] = {"__profc_", "__profbm_", NULL};

static void collect_counter_symbols(struct assembly_rewriter *rewriter) {
  struct bytes rest = rewriter->assembly;
  const char *begin = (const char *)rest.data;
  for (struct text_part line, name; text_next_line(&rest, &line);)
    if (parse_label(line, &name) &&
        starts_with_any(strip_symbol_name(name), symbol_prefixes))
      *cc_map_find_or_add(&rewriter->symbols,
                          text_hash(strip_symbol_name(name)), 0, 0) =
          (uint64_t)(name.at - begin);
}

/* Returns the name of a function's counters or bitmap in the assembly. */
static struct text_part
find_data_symbol_of_point(const struct assembly_rewriter *rewriter,
                          const struct trace_point *point) {
  const char *prefix = symbol_prefixes[point->kind != LABEL_COUNTER];
  size_t size = strlen(prefix) + point->name.size;
  char *name = malloc(size + 1);
  struct text_part line, symbol;
  if (!name)
    raise_error(out_of_memory);
  memcpy(name, prefix, strlen(prefix));
  memcpy(name + strlen(prefix), point->name.at, point->name.size);
  const uint64_t *offset = map_find(
      &rewriter->symbols, text_hash((struct text_part){name, size}), 0, 0);
  free(name);
  struct bytes rest = rewriter->assembly;
  if (!offset)
    raise_error(strange);
  rest = (struct bytes){rest.data + *offset, rest.size - (size_t)*offset};
  if (!text_next_line(&rest, &line) || !parse_label(line, &symbol))
    raise_error(strange);
  return symbol;
}

/* ---- where code is ---- */

/* Parses "\t.section\t.text.f,\"axG\",%progbits,f,comdat", and stores the
 * group. */
static void parse_section_group(struct assembly_rewriter *rewriter,
                                struct text_part line) {
  bool quoted = false, grouped = false;
  unsigned commas = 0;
  for (; line.size && commas < 3; part_cut_front(&line, 1)) {
    quoted ^= *line.at == '"';
    grouped |= commas == 1 && *line.at == 'G';
    commas += !quoted && *line.at == ',';
  }
  rewriter->group = line;
  if (!grouped || commas < 3)
    rewriter->group.size = 0;
}

static void track_assembly_line(struct assembly_rewriter *rewriter,
                                struct text_part line) {
  struct text_part rest = skip_blanks(line);
  if (part_skip_word(&rest, ".section")) {
    parse_section_group(rewriter, rest);
  } else if (part_starts_with(rest, ".text")) {
    rewriter->group.size = 0;
  } else if (part_skip_word(&rest, ".type")) {
    rest = skip_blanks(rest);
    struct text_part name = text_cut_until(&rest, ",");
    if (part_contains(rest, "function"))
      rewriter->function = name;
  } else if (part_skip_word(&rest, ".weak")) {
    rest = skip_blanks(rest);
    rewriter->weak = text_cut_until(&rest, " \t");
  }
}

/* ---- the code after a label ---- */

/* The beginnings of labels to which nothing jumps, and of directives without
 * code. */
static const char *const table_labels[] = {".Ltmp", ".Lpcrel_hi", ".LPC", NULL};
static const char *const codeless[] = {".loc",  ".cfi_",  ".save",
                                       ".pad",  ".setfp", ".option",
                                       ".file", ".vsave", NULL};

/* Returns whether a linker for RISC-V may delete the instruction, because the
 * instruction's symbol may be near the global or thread pointer. */
static bool may_be_relaxed(struct text_part line) {
  return part_starts_with(line, "lui") || part_starts_with(line, "c.lui") ||
         part_starts_with(line, "auipc") || part_contains(line, "%tprel_add");
}

/* Returns whether the next instruction runs as often as the code before it. */
static bool runs_as_often_as_next(struct bytes rest) {
  bool foreign = false; /* the line is in inline assembly, whose labels look
                           like clang's labels */
  for (struct text_part line, name; text_next_line(&rest, &line);) {
    struct text_part text = skip_blanks(line);
    if (part_starts_with(line, TRACE_POINT_PREFIX))
      return true;
    if (is_empty_or_comment(text)) {
      foreign = part_contains(text, "APP") && !part_contains(text, "NO_APP");
      continue;
    }
    bool label = parse_label(line, &name);
    if (foreign ||
        (label ? !starts_with_any(line, table_labels)
               : *text.at == '.' && !starts_with_any(text, codeless)))
      return false;
    if (!label && *text.at != '.' && !may_be_relaxed(text))
      return true;
  }
  return false;
}

/* ---- writing ---- */

/* Writes the function's entry once. If a function is weak, another function may
 * override its symbol, so the entry uses the function's first label instead. */
static void print_body_table_entry(struct assembly_rewriter *rewriter,
                                   struct text_part label) {
  struct text_part body = rewriter->function, group = rewriter->group;
  if ((*cc_map_find_or_add(&rewriter->bodies, text_hash(body), 0, 0))++)
    return;
  if (!group.size && part_equals(body, rewriter->weak))
    body = label;
  fprintf(rewriter->out,
          "\t.pushsection\t" LABELS_BODIES ",\"%s\",%%progbits%s%.*s"
          "\n\t%s\t%.*s\n\t.popsection\n",
          group.size ? "G" : "", group.size ? "," : "", (int)group.size,
          group.at, rewriter->points->wide ? ".quad" : ".long", (int)body.size,
          body.at);
}

/* Writes the entry of a trace point. The entry is in the function's group, or
 * linked to the function's section, so linkers drop it together with the
 * function. */
static void print_point_entry(struct assembly_rewriter *rewriter,
                              struct text_part name,
                              const struct trace_point *point) {
  const char *word = rewriter->points->wide ? ".quad" : ".long";
  struct text_part symbol = find_data_symbol_of_point(rewriter, point);
  bool grouped = rewriter->group.size;
  struct text_part owner = grouped ? rewriter->group : rewriter->function;
  if (!rewriter->function.size)
    raise_error(strange);
  uint32_t what =
      (uint32_t)point->kind << LABEL_KIND_SHIFT | (uint32_t)point->value;
  fprintf(rewriter->out,
          "\t.pushsection\t" LABELS_SECTION ",\"%s\",%%progbits,%.*s\n"
          "\t%s\t%.*s\n\t%s\t%.*s\n\t.long\t0x%" PRIx32
          "\n\t.long\t%zu\n\t.popsection\n",
          grouped ? "G" : "o", (int)owner.size, owner.at, word, (int)name.size,
          name.at, word, (int)symbol.size, symbol.at, what, point->slot);
  print_body_table_entry(rewriter, name);
}

/* Writes a label and its entry, and moves past the label's nop. */
static void print_point_and_pass_nop(struct assembly_rewriter *rewriter,
                                     struct text_part name) {
  const struct trace_points *points = rewriter->points;
  struct text_part digits = name, nop = {"", 0};
  part_skip_word(&digits, TRACE_POINT_PREFIX);
  size_t number = (size_t)strtoul(digits.at, NULL, 10);
  while (text_next_line(&rewriter->rest, &nop) && !skip_blanks(nop).size)
    continue;
  if (number >= points->count || (!part_starts_with(skip_blanks(nop), "nop") &&
                                  !part_starts_with(skip_blanks(nop), "c.nop")))
    raise_error(strange);
  part_print_pattern(rewriter->out, "%p:\n", name);
  print_point_entry(rewriter, name, &points->list[number]);
  if (runs_as_often_as_next(rewriter->rest))
    return;
  rewriter->points->nops++;
  part_print_pattern(rewriter->out, "%p\n", nop);
}

static void print_rewritten_assembly(void *context) {
  struct assembly_rewriter *rewriter = context;
  collect_counter_symbols(rewriter);
  for (struct text_part line, name; text_next_line(&rewriter->rest, &line);) {
    track_assembly_line(rewriter, line);
    if (part_starts_with(line, TRACE_POINT_PREFIX) && parse_label(line, &name))
      print_point_and_pass_nop(rewriter, name);
    else
      part_print_pattern(rewriter->out, "%p\n", line);
  }
}

const char *trace_points_rewrite_assembly(struct trace_points *points,
                                          struct bytes assembly, FILE *out) {
  struct assembly_rewriter rewriter = {.points = points,
                                       .out = out,
                                       .assembly = assembly,
                                       .rest = assembly,
                                       .symbols = {.limit = BYTE_COUNTERS_MOST},
                                       .bodies = {.limit = BYTE_COUNTERS_MOST}};
  const char *error = catch_error(print_rewritten_assembly, &rewriter);
  map_free(&rewriter.symbols);
  map_free(&rewriter.bodies);
  return error;
}

/* ---- open decisions ----
 *
 * Follows decisions forwards through a function's control-flow graph. A
 * decision may be open before a line if it is open on some path to the line. If
 * no run can take a path, the path only adds decisions. */

enum { SLOTS_MOST = 64 };

/* The state before a block: the open decisions, one bit each, and whether any
 * path reaches the block. */
struct block_entry_state {
  uint64_t open;
  bool reached;
};

static uint64_t decision_bit(const struct decision_step *step) {
  return UINT64_C(1) << step->slot;
}

/* Returns the open decisions after a block. If `notes` is true, sets `within`
 * in the block's steps. */
static uint64_t track_open_through_block(struct decision_step *steps,
                                         const struct cfg_block *block,
                                         uint64_t open, bool notes) {
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

/* Passes states along edges, until no edge changes the state of a block. */
static void propagate_open_decisions(const struct body_with_steps *body,
                                     struct block_entry_state *list) {
  const struct cfg *cfg = &body->cfg;
  list[0].reached = true;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < cfg->block_count; i++) {
      if (!list[i].reached)
        continue;
      const struct cfg_block *block = &cfg->blocks[i];
      uint64_t open =
          track_open_through_block(body->steps, block, list[i].open, false);
      for (size_t k = block->edges; k < block->last; k++) {
        struct block_entry_state *to = &list[cfg->edges[k].to];
        more |= !to->reached || (open & ~to->open);
        to->reached = true;
        to->open |= open;
      }
    }
  }
}

void trace_mark_open_decisions(void *context) {
  struct body_with_steps *body = context;
  struct cfg *cfg = &body->cfg;
  for (size_t i = 0; i < cfg->line_count; i++)
    if (body->steps[i].slot >= SLOTS_MOST)
      raise_error("the code has more than 64 nested decisions");
  cfg_parse(cfg);
  struct block_entry_state *list =
      cc_allocate(cfg->memory, cfg->block_count * sizeof *list);
  propagate_open_decisions(body, list);
  for (size_t i = 0; i < cfg->block_count; i++) {
    const struct cfg_block *block = &cfg->blocks[i];
    bool ends = block->edges == block->last;
    uint64_t open =
        list[i].reached
            ? track_open_through_block(body->steps, block, list[i].open, true)
            : 0;
    body->leaves |= ends && open;
  }
}
