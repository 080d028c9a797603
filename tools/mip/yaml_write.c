/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Profiles as YAML, written.
 */
#include <inttypes.h>

#include "../base/json_string.h"
#include "yaml.h"

static const char *const types[] = {"coverage", "blocks", "times", "calls",
                                    "returns"};

static void write_type(uint32_t type, FILE *stream) {
  const char *before = "";
  fputs("type: [", stream);
  for (unsigned i = 0; i < sizeof types / sizeof *types; i++)
    if (type >> i & 1) {
      fprintf(stream, "%s%s", before, types[i]);
      before = ", ";
    }
  /* Bits that have no name yet. */
  if (type >> 5)
    fprintf(stream, "%s0x%" PRIx32, before, type >> 5 << 5);
  fputs("]\n", stream);
}

static void write_signed(int64_t value, FILE *stream) {
  uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  fprintf(stream, "%s0x%" PRIx64, value < 0 ? "-" : "", size);
}

static void write_function(const struct mip_function *function, FILE *stream) {
  fputs("- name: ", stream);
  json_put_string(stream, function->name);
  fprintf(stream, "\n  raw: 0x%" PRIx64 "\n  address: ", function->raw);
  write_signed(function->address, stream);
  fprintf(stream, "\n  size: 0x%" PRIx32 "\n  cfg: 0x%" PRIx32 "\n",
          function->size, function->cfg);
  fprintf(stream,
          "  runs: %" PRIu32 "\n  calls: %" PRIu64 "\n  order: %" PRIu64 "\n",
          function->runs, function->calls, function->order);
  if (function->block_count)
    fputs("  blocks:\n", stream);
  for (uint32_t i = 0; i < function->block_count; i++)
    fprintf(stream, "  - {offset: 0x%" PRIx32 ", covered: %s}\n",
            function->blocks[i].offset,
            function->blocks[i].covered ? "true" : "false");
}

/* Writes the edges to a function, which begin at *next. */
static void write_edges(const struct mip_profile *profile, size_t function,
                        size_t *next, FILE *stream) {
  const char *title = "  edges:\n";
  for (; *next < profile->edge_count; ++*next, title = "") {
    const struct mip_edge *edge = &profile->edges[*next];
    if (edge->callee != function)
      break;
    fprintf(stream, "%s  - {from: ", title);
    write_signed(edge->from, stream);
    fprintf(stream, ", count: %" PRIu64 "}\n", edge->count);
  }
}

void mip_yaml_write(const struct mip_profile *profile, FILE *stream) {
  size_t edges = 0;
  fprintf(stream, "# MIP profile\nrevision: %s\n",
          profile->revision == MIP_A ? "A" : "B");
  if (profile->revision == MIP_B)
    fprintf(stream, "bits: %s\n", profile->wide ? "64" : "32");
  fprintf(stream, "version: %u\n", profile->version);
  write_type(profile->type, stream);
  fprintf(stream, "hash: 0x%" PRIx32 "\n", profile->hash);
  if (profile->build)
    fprintf(stream, "build: 0x%" PRIx32 "\n", profile->build);
  if (profile->lost)
    fprintf(stream, "lost: %" PRIu64 "\n", profile->lost);
  fputs("functions:\n", stream);
  for (size_t i = 0; i < profile->function_count; i++) {
    write_function(&profile->functions[i], stream);
    write_edges(profile, i, &edges, stream);
  }
}
