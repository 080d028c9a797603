/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Encodes struct probes as sections: the inverse of tools/probe. A reader gets
 * the same probes back, but inlined functions in the order of GUID and site,
 * and the probes of each function in the order of addresses.
 */
#ifndef PROBES_ENCODE_H
#define PROBES_ENCODE_H

#include <string.h>

#include "base/buffer.h"
#include "probe/probe_inside.h"

struct encoder {
  const struct probes *probes;
  const struct probe_layout *layout;
  struct buffer *section;
  const struct probe_record *record;
  unsigned encoding; /* encoding of the record */
  uint64_t address;  /* address of the last probe */
  bool addressed;    /* the record needs no further absolute address */
};

/* ---- numbers ---- */

static const char *put_byte(struct buffer *to, unsigned byte) {
  unsigned char c = (unsigned char)byte;
  return buffer_append_bytes(to, &c, 1);
}

static const char *put_fixed(struct encoder *e, uint64_t value, unsigned size) {
  unsigned char bytes[8];
  store_number(bytes, value, size, e->layout->big);
  return buffer_append_bytes(e->section, bytes, size);
}

static const char *put_uleb128(struct buffer *to, uint64_t value) {
  const char *error = NULL;
  for (; !error && value >= 0x80; value >>= 7)
    error = put_byte(to, (value & 0x7F) | 0x80);
  return error ? error : put_byte(to, (unsigned)value);
}

static const char *put_sleb128(struct buffer *to, int64_t value) {
  const char *error = NULL;
  for (;;) {
    unsigned bits = (unsigned)value & 0x7F;
    /* An arithmetic shift, without shifting a negative number. */
    value = value < 0 ? -1 - ((-1 - value) >> 7) : value >> 7;
    if (error || value == (bits & 0x40 ? -1 : 0))
      return error ? error : put_byte(to, bits);
    error = put_byte(to, bits | 0x80);
  }
}

/* ---- probes ---- */

static bool is_rfc(const struct encoder *e) { return e->encoding >= PROBE_RFC; }

static bool has_sentinel(const struct encoder *e) {
  return e->encoding == PROBE_DELTA && e->record->fragment;
}

/* Returns the signed difference to the last address, in the machine's width. */
static int64_t step_to(const struct encoder *e, uint64_t address) {
  uint64_t step = address - e->address;
  return e->layout->pointer == 4 ? (int32_t)(uint32_t)step : (int64_t)step;
}

static const char *put_address(struct encoder *e, const struct probe *probe,
                               unsigned bits) {
  int64_t step = step_to(e, probe->address);
  bool absolute =
      e->encoding != PROBE_DELTA && (!e->addressed || (is_rfc(e) && step < 0));
  const char *error = put_byte(e->section, absolute ? bits : bits | 0x80);
  e->address = probe->address;
  e->addressed = true;
  if (error)
    return error;
  if (absolute)
    return put_fixed(e, probe->address, e->encoding == PROBE_ABSOLUTE4 ? 4 : 8);
  return is_rfc(e) ? put_uleb128(e->section, (uint64_t)step)
                   : put_sleb128(e->section, step);
}

static const char *put_probe(void *context, uint32_t number) {
  struct encoder *e = context;
  const struct probes *probes = e->probes;
  const struct probe *probe = number < probes->count
                                  ? &probes->list[number]
                                  : &probes->lost[number - probes->count];
  unsigned attributes = probe->attributes & 7;
  bool discriminated = !is_rfc(e) && attributes & 4;
  const char *error = put_uleb128(e->section, probe->index);
  if (!error)
    error = put_address(e, probe, (probe->type & 15u) | attributes << 4);
  if (!error && discriminated)
    error = put_uleb128(e->section, probe->discriminator);
  return error;
}

/* ---- bodies ---- */

/* Returns the address from which the first difference counts. A record that had
 * an address begins at its first probe, not at the symbol. */
static uint64_t base_of(const struct encoder *e) {
  const struct probe_record *record = e->record;
  const struct symbol_by_guid *name =
      record->encoding == PROBE_DELTA
          ? NULL
          : probe_find_guid_symbols(e->probes, record->guid);
  return record->placed == PROBE_NO_SYMBOL ? 0
         : name                            ? name->address
                                           : record->address;
}

static void begin_record(struct encoder *e, uint32_t number) {
  e->record = &e->probes->records[number];
  e->encoding = e->layout->encoding == PROBE_AUTO ? e->record->encoding
                                                  : e->layout->encoding;
  e->address = base_of(e);
  e->addressed = false;
}

static const char *put_site(struct encoder *e, const struct probe_body *body) {
  const char *error = is_rfc(e) ? put_fixed(e, body->guid, 8) : NULL;
  if (!error)
    error = put_uleb128(e->section, body->site);
  if (!error && e->encoding == PROBE_RFC_LINES)
    error = put_uleb128(e->section, body->discriminator);
  return error || is_rfc(e) ? error : put_fixed(e, body->guid, 8);
}

static const char *put_body(void *context, const struct probe_body *body) {
  struct encoder *e = context;
  const char *error;
  if (body->parent == PROBE_NO_BODY) {
    begin_record(e, body->site);
    error = put_fixed(e, body->guid, 8);
  } else
    error = put_site(e, body);
  bool sentinel = body->parent == PROBE_NO_BODY && has_sentinel(e);
  if (!error)
    error = put_uleb128(e->section, (uint64_t)body->count + sentinel);
  if (!error)
    error = put_uleb128(e->section, body->child_count);
  if (error || !sentinel)
    return error;
  error = put_byte(e->section, 0);
  if (!error)
    error = put_byte(e->section, 0x20);
  return error ? error : put_fixed(e, e->record->fragment, 8);
}

/* ---- the tree ---- */

/* Returns the body of a probe's function. Adds the bodies of the functions into
 * which it was inlined, the outermost first. */
static uint32_t find_body(struct probe_tree *tree, const struct probe *probe) {
  const struct probe_inlining *stack[PROBE_DEPTH_MOST];
  unsigned depth = 0;
  for (const struct probe_inlining *f = probe->inlining; f; f = f->parent)
    stack[depth++] = f;
  const struct probe_body record = {.guid = depth ? stack[depth - 1]->guid
                                                  : probe->guid,
                                    .parent = PROBE_NO_BODY,
                                    .site = probe->record};
  uint32_t body = probe_tree_find_or_add_body(tree, &record);
  while (depth) {
    const struct probe_inlining *frame = stack[--depth];
    const struct probe_body inlined = {.guid = depth ? stack[depth - 1]->guid
                                                     : probe->guid,
                                       .parent = body,
                                       .site = frame->site,
                                       .discriminator = frame->discriminator};
    body = probe_tree_find_or_add_body(tree, &inlined);
  }
  return body;
}

static void make_tree(const struct probes *probes, struct probe_tree *tree) {
  /* Records without probes get a body, too. */
  for (uint32_t i = 0; i < probes->record_count; i++) {
    const struct probe_body record = {
        .guid = probes->records[i].guid, .parent = PROBE_NO_BODY, .site = i};
    probe_tree_find_or_add_body(tree, &record);
  }
  for (uint32_t i = 0; i < probes->count + probes->lost_count; i++) {
    const struct probe *probe =
        i < probes->count ? &probes->list[i] : &probes->lost[i - probes->count];
    probe_tree_add_probe(tree, find_body(tree, probe), i);
  }
}

/* Appends the contents of .pseudo_probe. layout->encoding applies to all
 * records; with PROBE_AUTO, each record keeps its own encoding. Only
 * PROBE_DELTA can have sentinels and discriminators; other encodings leave them
 * out. Returns NULL or the error. */
static const char *probes_encode(const struct probes *probes,
                                 const struct probe_layout *layout,
                                 struct buffer *section) {
  struct encoder encoder = {
      .probes = probes, .layout = layout, .section = section};
  const struct probe_visitor visitor = {&encoder, put_body, put_probe};
  struct probe_tree tree;
  probe_tree_init(&tree);
  make_tree(probes, &tree);
  const char *error = probe_tree_walk(&tree, &visitor);
  probe_tree_free(&tree);
  return error;
}

/* Appends the contents of .pseudo_probe_desc. */
static const char *probes_encode_functions(const struct probes *probes,
                                           bool big, struct buffer *section) {
  const char *error = NULL;
  for (size_t i = 0; !error && i < probes->function_count; i++) {
    const struct probe_function *function = &probes->functions[i];
    unsigned char bytes[16];
    store64(bytes, function->guid, big);
    store64(bytes + 8, function->hash, big);
    error = buffer_append_bytes(section, bytes, sizeof bytes);
    if (!error)
      error = put_uleb128(section, strlen(function->name));
    if (!error)
      error =
          buffer_append_bytes(section, function->name, strlen(function->name));
  }
  return error;
}

#endif
