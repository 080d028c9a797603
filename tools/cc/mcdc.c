/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * MC/DC with bytes: a flag for each bit, behind the function's other flags. The
 * record's BitmapPtr then is its CounterPtr, as a mark for the host: see
 * record_has_bytes in ../image/image.h.
 *
 * Before clang lowers its intrinsics, the call that notes an outcome becomes a
 * store of the decision's first flag, behind a load of the outcome's number:
 *
 *   %bareprof.m0 = load i32, ptr %7
 *   call void @llvm.instrprof.cover(ptr @__profn_f, i64 1234, i32 17, i32 9)
 *
 * clang lowers the call to a store at an address. Then the address is moved:
 *
 *   %bareprof.a0 = getelementptr i8, ptr ADDRESS, i32 %bareprof.m0
 *   store i8 0, ptr %bareprof.a0, align 1
 *
 * and clang's bitmap is left out. Another object may have bits for the same
 * function, in a comdat of the same name. So counters and records of functions
 * with such flags have other names: linkers keep both, and the code of each
 * object has its own.
 */
#include "flags_inside.h"

#include "../base/map.h"
#include "../object/digest.h"

static const char index_word[] = "  %bareprof.m";

/* In the module from one step to the next: the MD5 of a function's symbol. */
static const char known_word[] = "module asm \"/* bareprof.mcdc ";

/* ---- before ---- */

/* The MD5 of what is behind a prefix in a name, without quotes. */
static uint64_t key_of(struct ir_text name) {
  return md5_low64(name.at, name.size);
}

const char *mcdc_look(struct flags_reader *reader,
                      const struct intrinsic_call *call) {
  struct differences_of *function = flags_function_of(reader, call);
  struct ir_text name = call->function;
  if (!function || !text_skip_to(&name, "__profn_"))
    return flags_unknown;
  name.size -= name.size && name.at[name.size - 1] == '"';
  function->symbol = key_of(name);
  function->bits = call->index;
  return call->index <= COUNTERS_MOST
             ? NULL
             : "a function has more than a million outcomes of decisions; "
               "compile it without MC/DC";
}

static uint64_t total_of(const struct differences_of *function) {
  return function->follows ? function->total
                           : function->counters + function->count;
}

static void put_outcome(struct flags_reader *reader,
                        const struct outcome_call *outcome,
                        const struct differences_of *function) {
  struct intrinsic_call flag = outcome->call;
  flag.counters = total_of(function) + function->bits;
  flag.index += total_of(function);
  fprintf(reader->out, "%s%zu = load i32, ptr ", index_word,
          reader->outcomes++);
  part_put(reader->out, outcome->variable);
  fputc('\n', reader->out);
  call_put_flag(reader->out, &flag, function->follows ? &function->hash : NULL);
}

bool mcdc_put(struct flags_reader *reader, struct ir_text line) {
  struct outcome_call outcome;
  bool all = call_read_outcomes(line, &outcome.call);
  if (!all && !call_read_outcome(line, &outcome))
    return false;
  const struct intrinsic_call *call = &outcome.call;
  const struct differences_of *function = flags_function_of(reader, call);
  if (!function || !flags_bits(reader, function))
    return false;
  if (!all) {
    put_outcome(reader, &outcome, function);
    return true;
  }
  /* The record says a byte for each bit then. */
  fprintf(reader->out, "%.*s, i32 %" PRIu64,
          (int)(call->hash.at + call->hash.size - line.at), line.at,
          8 * function->bits);
  part_put(reader->out, call->rest);
  fputc('\n', reader->out);
  return true;
}

void mcdc_end(const struct flags_reader *reader) {
  const struct differences_of *list =
      (const struct differences_of *)(const void *)reader->list.list.data;
  size_t count = reader->list.list.size / sizeof *list;
  for (size_t i = 0; i < count; i++)
    if (list[i].counters && flags_bits(reader, &list[i]))
      fprintf(reader->out, "%s%" PRIu64 " */\"\n", known_word, list[i].symbol);
}

/* ---- behind ---- */

struct lowered {
  struct map functions; /* with such flags, by the MD5 of known_word */
  size_t records;       /* of these functions */
  FILE *out;
  struct ir_text index; /* loaded, and not yet added; empty: none */
};

/* Moves behind the prefix of the next name of such a function. Returns what it
 * is of: c: counters, d: the record, b: the bitmap; 0: there is none. */
static char next_name(const struct lowered *lowered, struct ir_text *text) {
  while (text_skip_to(text, "__prof")) {
    bool quoted = text->at[-(ptrdiff_t)strlen("__prof") - 1] == '"';
    const char *end = quoted ? "\"" : " ,)]=";
    char kind = text->size ? *text->at : 0;
    if (!text_take(text, "c_") && !text_take(text, "d_") &&
        !text_take(text, "bm_"))
      continue;
    struct ir_text name = {text->at, 0};
    while (name.size < text->size && !strchr(end, text->at[name.size]))
      name.size++;
    if (map_find(&lowered->functions, key_of(name), 0, 0))
      return kind;
  }
  return 0;
}

/* Writes a text with the other names. A bitmap's becomes that of counters. */
static void put_names(const struct lowered *lowered, struct ir_text text) {
  struct ir_text rest = text;
  for (char kind; (kind = next_name(lowered, &rest)); text = rest) {
    text.size -= rest.size + (kind == 'b' ? strlen("bm_") : 0);
    part_put(lowered->out, text);
    fputs(kind == 'b' ? "c_mcdc." : "mcdc.", lowered->out);
  }
  part_put(lowered->out, text);
}

/* Whether a line defines the bitmap of such a function, or its comdat. Counts
 * records. */
static bool goes(struct lowered *lowered, struct ir_text line) {
  struct ir_text rest = line;
  bool defines = *line.at == '@' || *line.at == '$';
  char kind = defines ? next_name(lowered, &rest) : 0;
  /* Lists of the compiler have such names further behind. */
  if (rest.at - line.at > (ptrdiff_t)strlen("@\"__profbm_"))
    return false;
  lowered->records += *line.at == '@' && kind == 'd';
  return kind == 'b';
}

/* Writes a store whose address is moved by the index. */
static void put_moved(struct lowered *lowered, struct ir_text line) {
  static const char word[] = "  store i8 0, ptr ";
  struct ir_text index = lowered->index, place = line;
  text_cut(&index, strlen(index_word));
  text_take(&place, word);
  line = place;
  while (line.size && !text_begins(line, ", align "))
    text_cut(&line, 1);
  place.size -= line.size;
  fputs("  %bareprof.a", lowered->out);
  part_put(lowered->out, index);
  fputs(" = getelementptr inbounds i8, ptr ", lowered->out);
  put_names(lowered, place);
  fprintf(lowered->out, ", i32%.*s\n%s%%bareprof.a",
          (int)lowered->index.size - 1, lowered->index.at + 1, word);
  part_put(lowered->out, index);
  part_put(lowered->out, line);
  lowered->index.size = 0;
}

static const char *put_lowered(struct lowered *lowered, struct ir_text line) {
  struct ir_text rest = line;
  if (line.size && (text_begins(line, known_word) || goes(lowered, line)))
    return NULL;
  if (lowered->index.size && text_begins(line, "  store i8 0, ptr ")) {
    put_moved(lowered, line);
  } else {
    if (text_begins(line, index_word)) {
      if (lowered->index.size)
        return flags_unknown;
      text_cut(&rest, 2);
      size_t size = text_name(&rest).size;
      lowered->index = (struct ir_text){line.at, size + 2};
    }
    put_names(lowered, line);
  }
  fputc('\n', lowered->out);
  return NULL;
}

static const char *put_module(struct lowered *lowered, struct bytes module) {
  const char *error = NULL;
  for (struct bytes one; !error && bytes_line(&module, &one);)
    error = put_lowered(lowered,
                        (struct ir_text){(const char *)one.data, one.size});
  if (!error && lowered->index.size)
    error = flags_unknown;
  if (!error && lowered->records != lowered->functions.count)
    error = "its records are in debug information, which has no MC/DC; "
            "compile with -profile-correlate=binary, or without --mcdc=bytes";
  return error;
}

const char *mcdc_module(struct bytes module, FILE *out) {
  struct lowered lowered = {.functions = {.limit = FLAGS_MOST}, .out = out};
  struct bytes rest = module, one;
  const char *error = NULL;
  while (!error && bytes_line(&rest, &one)) {
    struct ir_text line = {(const char *)one.data, one.size};
    if (!text_take(&line, known_word))
      continue;
    if (!map_at(&lowered.functions, strtoull(line.at, NULL, 10), 0, 0))
      error = out_of_memory;
  }
  if (!error && !lowered.functions.count)
    fwrite(module.data, 1, module.size, out);
  else if (!error)
    error = put_module(&lowered, module);
  map_free(&lowered.functions);
  return error;
}
