/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * This file prints probes as text or JSON, or inserts them into a disassembly,
 * for the command `bareprof probes`.
 */
#include "probe.h"

#include <inttypes.h>
#include <string.h>

#include "../base/number.h"
#include "../base/error.h"
#include "../base/text.h"

const char *probe_name_or_guid(const struct probes *probes, uint64_t guid,
                               char room[PROBE_NAME_ROOM]) {
  const char *name = probes_function_name(probes, guid);
  if (name)
    return name;
  snprintf(room, PROBE_NAME_ROOM, "%" PRIu64, guid);
  return room;
}

/* ---- a cache of names, since many probes share a name ---- */

enum { NAMES_BITS = 8 };

/* A name in its printed form. */
struct cached_name {
  uint64_t guid;
  const char *name; /* NULL if this entry is unused */
  size_t size;
};

/* The output, and its cache of names. GUIDs without a name, and names that need
 * escapes, are not in the cache. */
struct probe_printer {
  const struct probes *probes;
  struct text_stream text;
  struct cached_name names[1 << NAMES_BITS]; /* indexed by bits of the GUID */
};

static void init_probe_printer(struct probe_printer *to,
                               const struct probes *probes, FILE *stream) {
  to->probes = probes;
  text_begin(&to->text, stream);
  memset(to->names, 0, sizeof to->names);
}

/* Returns whether a name can be printed without escapes. Most names can. */
static bool is_printable_name(const char *name) {
  for (; *name; name++)
    if (*name <= ' ' || *name > '~')
      return false;
  return true;
}

/* Prints a name as it is in the ELF, without escapes. */
static void print_raw_name(struct probe_printer *to, uint64_t guid) {
  char room[PROBE_NAME_ROOM];
  text_put_string(&to->text, probe_name_or_guid(to->probes, guid, room));
}

static void print_name(struct probe_printer *to, uint64_t guid) {
  char room[PROBE_NAME_ROOM], shown[4096];
  struct cached_name *known =
      &to->names[(guid ^ guid >> 32) & ((1 << NAMES_BITS) - 1)];
  if (known->name && known->guid == guid) {
    text_put_bytes(&to->text, known->name, known->size);
    return;
  }
  const char *name = probe_name_or_guid(to->probes, guid, room);
  if (!is_printable_name(name))
    name = make_printable(shown, sizeof shown, name);
  else if (name != room)
    *known = (struct cached_name){guid, name, strlen(name)};
  text_put_string(&to->text, name);
}

/* Lists the levels of inlining around a probe, the outermost last. Returns the
 * number of levels. */
static unsigned
list_inlining_levels(const struct probe *probe,
                     const struct probe_inlining *stack[PROBE_DEPTH_MOST]) {
  unsigned depth = 0;
  for (const struct probe_inlining *f = probe->inlining; f; f = f->parent)
    stack[depth++] = f;
  return depth;
}

/* Prints " @ OUTERMOST:SITE @ ...", or nothing if the probe is not inlined. */
static void print_inline_context(struct probe_printer *to,
                                 const struct probe *probe) {
  const struct probe_inlining *stack[PROBE_DEPTH_MOST];
  unsigned depth = list_inlining_levels(probe, stack);
  while (depth) {
    const struct probe_inlining *frame = stack[--depth];
    text_put_string(&to->text, " @ ");
    print_name(to, frame->guid);
    text_put_string(&to->text, ":");
    text_put_decimal(&to->text, frame->site, 0);
    if (frame->discriminator) {
      text_put_string(&to->text, ".");
      text_put_decimal(&to->text, frame->discriminator, 0);
    }
  }
}

static void print_probe(struct probe_printer *to, const struct probe *probe) {
  static const char blanks[] = "              ";
  bool dangles = probe->flags & PROBE_DANGLING;
  struct text_stream *text = &to->text;
  const char *type = probe_type_name(probe->type);
  size_t size = strlen(type);
  text_put_string(text, "  0x");
  text_put_hex(text, probe->address);
  text_put_string(text, "  ");
  text_put_decimal(text, probe->index, 3);
  if (probe->discriminator) {
    text_put_string(text, ".");
    text_put_decimal(text, probe->discriminator, 0);
  }
  text_put_string(text, "  ");
  text_put_bytes(text, type, size);
  text_put_string(text, blanks + (size < 12 ? size : 12));
  print_name(to, probe->guid);
  if (probe->inlining)
    print_inline_context(to, probe);
  if (probe->attributes & PROBE_TAIL_CALL)
    text_put_string(text,
                    dangles ? "  (dangling, tail call)\n" : "  (tail call)\n");
  else
    text_put_string(text, dangles ? "  (dangling)\n" : "\n");
}

/* ---- headings ---- */

static void print_guid_and_hash(struct probe_printer *to, uint64_t guid) {
  const struct probe_function *function =
      probes_find_function(to->probes, guid);
  if (!function) {
    text_put_string(&to->text, "no descriptor");
    return;
  }
  text_put_string(&to->text, "GUID ");
  text_put_decimal(&to->text, guid, 0);
  text_put_string(&to->text, ", hash ");
  text_put_decimal(&to->text, function->hash, 0);
}

static void print_symbol_heading(struct probe_printer *to,
                                 const struct code_symbol *symbol) {
  struct text_stream *text = &to->text;
  char shown[4096];
  if (!symbol) {
    text_put_string(text, "\noutside of all functions:\n");
    return;
  }
  text_put_string(text, "\n");
  text_put_string(text, make_printable(shown, sizeof shown, symbol->name));
  text_put_string(text, ": 0x");
  text_put_hex(text, symbol->address);
  text_put_string(text, ", ");
  text_put_decimal(text, symbol->size, 0);
  text_put_string(text, " bytes, ");
  print_guid_and_hash(to, probes_guid_of_symbol(to->probes, symbol));
  text_put_string(text, "\n");
}

static const char *explain_lost_record(unsigned placed) {
  return placed == PROBE_NO_CODE ? "its code is gone"
                                 : "no symbol locates its code";
}

static void print_lost_probes(struct probe_printer *to) {
  const struct probes *probes = to->probes;
  uint32_t record = UINT32_MAX;
  if (!probes->lost_count)
    return;
  text_put_string(&to->text,
                  "\nwithout a place; addresses count from the beginning "
                  "of each:\n");
  for (size_t i = 0; i < probes->lost_count; i++) {
    const struct probe *probe = &probes->lost[i];
    if (probe->record != record) {
      record = probe->record;
      const struct probe_record *from = &probes->records[record];
      print_name(to, from->guid);
      text_put_string(&to->text, " (");
      text_put_string(&to->text, explain_lost_record(from->placed));
      text_put_string(&to->text, ")\n");
    }
    print_probe(to, probe);
  }
}

static void print_codeless_functions(struct probe_printer *to) {
  const struct probes *probes = to->probes;
  bool any = false;
  for (size_t i = 0; i < probes->function_count; i++) {
    const struct probe_function *function = &probes->functions[i];
    if (function->has_code)
      continue;
    if (!any)
      text_put_string(&to->text, "\nwithout code of their own:\n");
    any = true;
    text_put_string(&to->text, "  ");
    print_name(to, function->guid);
    text_put_string(&to->text, ": ");
    print_guid_and_hash(to, function->guid);
    text_put_string(&to->text, "\n");
  }
}

void probes_print_text(FILE *stream, const struct probes *probes) {
  const struct code_symbol *symbol = NULL;
  struct probe_printer to;
  init_probe_printer(&to, probes, stream);
  fprintf(stream,
          "%zu functions, %zu probes; %" PRIu64 " bytes in the file, %" PRIu64
          " in the image\n",
          probes->function_count, probes->count + probes->lost_count,
          probes->bytes, probes->loaded);
  for (size_t i = 0; i < probes->count; i++) {
    const uint64_t address = probes->list[i].address;
    const struct code_symbol *now =
        symbol && address - symbol->address < symbol->size
            ? symbol
            : probes_find_symbol(probes, address);
    if (i == 0 || now != symbol)
      print_symbol_heading(&to, now);
    symbol = now;
    print_probe(&to, &probes->list[i]);
  }
  print_lost_probes(&to);
  print_codeless_functions(&to);
  text_flush(&to.text);
}

/* ==== JSON. GUIDs are strings there, because many readers round large
 * numbers. */

static void json_print_inlining(FILE *stream, const struct probes *probes,
                                const struct probe *probe) {
  const struct probe_inlining *stack[PROBE_DEPTH_MOST];
  char room[PROBE_NAME_ROOM];
  unsigned depth = list_inlining_levels(probe, stack);
  if (!depth)
    return;
  fputs(",\"inlined\":[", stream);
  for (bool first = true; depth; first = false) {
    const struct probe_inlining *frame = stack[--depth];
    json_printf(stream,
                first ? "{\"function\":%s,\"site\":%u"
                      : ",{\"function\":%s,\"site\":%u",
                probe_name_or_guid(probes, frame->guid, room), frame->site);
    if (frame->discriminator)
      fprintf(stream, ",\"discriminator\":%" PRIu32, frame->discriminator);
    fputc('}', stream);
  }
  fputc(']', stream);
}

static void json_print_probe(FILE *stream, const struct probes *probes,
                             const struct probe *probe) {
  char room[PROBE_NAME_ROOM];
  json_printf(
      stream,
      "{\"address\":%ju,\"index\":%u,\"type\":%s,\"function\":%s,"
      "\"guid\":\"%ju\"",
      (uintmax_t)probe->address, probe->index, probe_type_name(probe->type),
      probe_name_or_guid(probes, probe->guid, room), (uintmax_t)probe->guid);
  if (probe->discriminator)
    fprintf(stream, ",\"discriminator\":%" PRIu32, probe->discriminator);
  if (probe->attributes)
    fprintf(stream, ",\"attributes\":%u", (unsigned)probe->attributes);
  if (probe->flags & PROBE_DANGLING)
    fputs(",\"dangling\":true", stream);
  if (probe->attributes & PROBE_TAIL_CALL)
    fputs(",\"tailCall\":true", stream);
  json_print_inlining(stream, probes, probe);
  fputc('}', stream);
}

static void json_begin_symbol(FILE *stream, const struct code_symbol *symbol) {
  if (symbol)
    json_printf(
        stream, "{\"symbol\":%s,\"address\":%ju,\"size\":%ju,\"probes\":[",
        symbol->name, (uintmax_t)symbol->address, (uintmax_t)symbol->size);
  else
    fputs("{\"symbol\":null,\"probes\":[", stream);
}

void probes_print_json(FILE *stream, const struct probes *probes) {
  const struct code_symbol *symbol = NULL;
  fprintf(stream,
          "{\"bytes\":%" PRIu64 ",\"loaded\":%" PRIu64 ",\n\"functions\":[",
          probes->bytes, probes->loaded);
  for (size_t i = 0; i < probes->function_count; i++) {
    const struct probe_function *function = &probes->functions[i];
    fputs(i ? ",\n" : "\n", stream);
    json_printf(stream, "{\"name\":%s,\"guid\":\"%ju\",\"hash\":\"%ju\"",
                function->name, (uintmax_t)function->guid,
                (uintmax_t)function->hash);
    fputs(function->has_code ? ",\"code\":true}" : ",\"code\":false}", stream);
  }
  fputs("],\n\"code\":[", stream);
  for (size_t i = 0; i < probes->count; i++) {
    const struct code_symbol *now =
        probes_find_symbol(probes, probes->list[i].address);
    bool begins = i == 0 || now != symbol;
    if (begins) {
      fputs(i ? "]},\n" : "\n", stream);
      json_begin_symbol(stream, now);
    }
    symbol = now;
    fputs(begins ? "\n" : ",\n", stream);
    json_print_probe(stream, probes, &probes->list[i]);
  }
  fputs(probes->count ? "]}],\n\"lost\":[" : "],\n\"lost\":[", stream);
  for (size_t i = 0; i < probes->lost_count; i++) {
    fputs(i ? ",\n" : "\n", stream);
    json_print_probe(stream, probes, &probes->lost[i]);
  }
  fputs("]}\n", stream);
}

/* ==== A disassembly, line by line. Both disassemblers begin the line of an
 * instruction with blanks, the address in hexadecimal, and a colon. */

/* Prints a probe exactly as llvm-profgen does. */
static void print_annotation(struct probe_printer *to,
                             const struct probe *probe) {
  struct text_stream *text = &to->text;
  text_put_string(text, " [Probe]:\tFUNC: ");
  print_raw_name(to, probe->guid);
  text_put_string(text, " Index: ");
  text_put_decimal(text, probe->index, 0);
  if (probe->discriminator) {
    text_put_string(text, "  Discriminator: ");
    text_put_decimal(text, probe->discriminator, 0);
  }
  text_put_string(text, "  Type: ");
  text_put_string(text, probe_type_name(probe->type));
  text_put_string(text, "  ");
  if (probe->flags & PROBE_DANGLING)
    text_put_string(text, "Dangling  ");
  if (probe->attributes & PROBE_TAIL_CALL)
    text_put_string(text, "TailCall  ");
  if (probe->inlining) {
    text_put_string(text, "Inlined:");
    print_inline_context(to, probe);
  }
  text_put_string(text, "\n");
}

static bool parse_address(const char *line, size_t size, uint64_t *address) {
  size_t i = 0, digits = 0;
  *address = 0;
  while (i < size && (line[i] == ' ' || line[i] == '\t'))
    i++;
  for (; i < size && digit_value((unsigned char)line[i]) < 16; i++, digits++)
    *address = *address << 4 | digit_value((unsigned char)line[i]);
  /* A heading of GNU objdump may also end in a colon, but does not begin with a
   * number. */
  return digits && digits <= 16 && i < size && line[i] == ':' &&
         (i + 1 == size || line[i + 1] == ' ' || line[i + 1] == '\t');
}

/* Returns the symbol at an address, or NULL. `last` is the symbol of the
 * previous address, or NULL; it often contains this address, too. */
static const struct code_symbol *
find_symbol_with_hint(const struct probes *probes,
                      const struct code_symbol *last, uint64_t address) {
  return last && address - last->address < last->size
             ? last
             : probes_find_symbol(probes, address);
}

/* Returns the same index as probes_index_from, but faster: the result is
 * usually a few probes after `next`. */
static size_t find_next_probe(const struct probes *probes, size_t next,
                              uint64_t address) {
  enum { FEW = 8 };
  for (size_t i = next; i < next + FEW; i++)
    if (i == probes->count || probes->list[i].address >= address)
      return i;
  return probes_index_from(probes, address);
}

/* Prints the lines that were not copied yet, and then the probes at the
 * instruction of a line. Returns the number of probes. */
static size_t annotate_line(struct probe_printer *to,
                            struct annotation_state *so_far, uint64_t address,
                            const struct bytes *before) {
  const struct probes *probes = to->probes;
  const bool ascends = so_far->any && so_far->last < address;
  const struct code_symbol *symbol =
      find_symbol_with_hint(probes, so_far->symbol, address);
  size_t first = ascends ? find_next_probe(probes, so_far->next, address)
                         : probes_index_from(probes, address);
  size_t i = first;
  if (ascends && symbol == so_far->symbol)
    so_far->between += first - so_far->next;
  if (i < probes->count && probes->list[i].address == address)
    text_put_bytes(&to->text, before->data, before->size);
  for (; i < probes->count && probes->list[i].address == address; i++)
    print_annotation(to, &probes->list[i]);
  so_far->inserted += i - first;
  so_far->last = address;
  so_far->next = i;
  so_far->symbol = symbol;
  so_far->any = true;
  return i - first;
}

void probes_annotate_lines(FILE *stream, const struct probes *probes,
                           struct bytes lines,
                           struct annotation_state *so_far) {
  const unsigned char *at = lines.data, *end = at + lines.size, *copied = at;
  struct probe_printer to;
  uint64_t address;
  init_probe_printer(&to, probes, stream);
  while (at < end) {
    const unsigned char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t size = newline ? (size_t)(newline + 1 - at) : (size_t)(end - at);
    const struct bytes before = {copied, (size_t)(at - copied)};
    if (parse_address((const char *)at, size, &address) &&
        annotate_line(&to, so_far, address, &before))
      copied = at;
    at += size;
  }
  text_put_bytes(&to.text, copied, (size_t)(end - copied));
  text_flush(&to.text);
}
