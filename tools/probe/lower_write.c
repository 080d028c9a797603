/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The sections, as directives that GNU as and clang know.
 */
#include <inttypes.h>

#include "lower_inside.h"

struct writer {
  struct lowering *lowering;
  uint32_t function;
  uint32_t last; /* probe, or PROBE_NO_BODY: the function's begin */
};

static void put(FILE *stream, struct piece piece) {
  fwrite(piece.at, 1, piece.size, stream);
}

/* To be dropped with the code, by its group or a link. Not both: assemblers
 * differ in the order of the two. Groups without comdat, of clang 14, no
 * assembler of LLVM reads. */
static void put_section(const struct lowering *l, uint32_t number) {
  const struct lower_function *function = lower_function_at(l, number);
  bool grouped = function->place.comdat;
  fprintf(l->stream, "\t.section\t.pseudo_probe,\"%c\",%cprogbits,",
          grouped ? 'G' : 'o', l->arm ? '%' : '@');
  put(l->stream, grouped ? function->place.group : function->name);
  fputs(grouped ? ",comdat\n" : "\n", l->stream);
}

static void put_begin(const struct lowering *l, uint32_t number) {
  const struct lower_function *function = lower_function_at(l, number);
  if (function->labelled)
    fprintf(l->stream, ".Lbareprof_begin%u", (unsigned)number);
  else
    put(l->stream, function->name);
}

static bool is_absolute(const struct lowering *l) {
  return l->how == LOWER_ABSOLUTE || (l->how == LOWER_AUTO && l->riscv);
}

static const char *put_body(void *context, const struct probe_body *body) {
  struct writer *writer = context;
  struct lowering *l = writer->lowering;
  bool whole = body->parent == PROBE_NO_BODY, sentinel = false;
  uint64_t guid = 0;
  if (whole) {
    guid = lower_function_at(l, body->site)->guid;
    sentinel = guid != body->guid && !is_absolute(l);
    writer->function = body->site;
    writer->last = PROBE_NO_BODY;
    put_section(l, body->site);
  } else
    fprintf(l->stream, "\t.uleb128\t%" PRIu32 "\n", body->site);
  fprintf(l->stream,
          "\t.8byte\t0x%" PRIx64 "\n\t.uleb128\t%" PRIu32
          "\n\t.uleb128\t%" PRIu32 "\n",
          body->guid, body->count + sentinel, body->child_count);
  if (sentinel)
    fprintf(l->stream, "\t.byte\t0, 0x20\n\t.8byte\t0x%" PRIx64 "\n", guid);
  return NULL;
}

static void put_address(const struct writer *writer, uint32_t number) {
  const struct lowering *l = writer->lowering;
  FILE *stream = l->stream;
  if (is_absolute(l)) {
    fprintf(stream, "\t.%dbyte\t.Lbareprof_probe%u\n%s", l->wide ? 8 : 4,
            (unsigned)number, l->wide ? "" : "\t.4byte\t0\n");
    return;
  }
  fprintf(stream, "\t.sleb128\t.Lbareprof_probe%u-", (unsigned)number);
  if (writer->last == PROBE_NO_BODY)
    put_begin(l, writer->function);
  else
    fprintf(stream, ".Lbareprof_probe%u", (unsigned)writer->last);
  fputc('\n', stream);
}

static const char *put_probe(void *context, uint32_t number) {
  struct writer *writer = context;
  const struct lowering *l = writer->lowering;
  const struct lower_probe *probe = lower_probe_at(l, number);
  fprintf(l->stream, "\t.uleb128\t%" PRIu32 "\n\t.byte\t0x%x\n", probe->index,
          (unsigned)(probe->type | probe->attributes << 4 |
                     (is_absolute(l) ? 0 : 0x80)));
  put_address(writer, number);
  writer->last = number;
  if (probe->attributes & 4)
    fprintf(l->stream, "\t.uleb128\t%" PRIu32 "\n", probe->discriminator);
  return NULL;
}

const char *lower_write(struct lowering *l) {
  struct writer writer = {.lowering = l};
  const struct probe_visitor visitor = {&writer, put_body, put_probe};
  l->wide = l->wide && !l->arm;
  return probe_tree_walk(&l->tree, &visitor);
}
