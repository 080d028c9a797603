/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a record begins, which depends on its encoding.
 */
#include "decode.h"

/* An address of a 32-bit machine in 8 bytes has zeros in four of them, where
 * otherwise the index of the next probe or a call site is, which is none. */
unsigned probe_address_size(const struct decoder *d) {
  if (d->layout->encoding == PROBE_ABSOLUTE4)
    return 4;
  if (d->layout->encoding != PROBE_AUTO || d->layout->pointer == 8)
    return 8;
  if (probe_left(d) < 8)
    return 4;
  uint64_t all = load64(d->at, d->layout->big);
  if (all >> 32)
    return 4;
  /* Or the first four are an address of 0, for code that is gone: the index
   * of the next probe comes then. */
  return d->layout->big && all >> 24 && !probes_symbol(d->probes, all) ? 4 : 8;
}

bool probe_is_code(const struct probes *probes, uint64_t address) {
  return probes->symbol_count ? probes_symbol(probes, address) != NULL
                              : address != 0;
}

/* Several symbols of one name, which unique names for what is internal
 * prevents: linkers leave records in the order of the code. */
void probe_begin_at(struct decoder *d, uint64_t guid) {
  struct probe_name *names = probe_names_find(d->probes, guid);
  if (!names) {
    d->record.placed = PROBE_NO_SYMBOL;
    d->address = 0;
    return;
  }
  uint32_t number =
      names->taken < names->count ? names->taken : names->count - 1;
  if (names->taken < UINT32_MAX)
    names->taken++;
  d->address = d->record.address = names[number].address;
}

void probe_settle(struct decoder *d, unsigned encoding) {
  d->settled = true;
  d->record.encoding = (uint8_t)encoding;
}

/* Until clang 15 the differences run on through the functions of one section
 * of code, and only the first of them begins with an address. */
static bool runs_on(const struct decoder *d, uint64_t step) {
  if (!d->addressed)
    return false;
  const struct probe_symbol *on =
      probes_symbol(d->probes, (d->before + step) & d->mask);
  const struct probe_name *names = probe_names_find(d->probes, d->record.guid);
  return !names || (on && on->guid == d->record.guid) ||
         !probes_symbol(d->probes, names->address + step);
}

/* What the first difference of a record counts from. */
void probe_begin_with(struct decoder *d, uint64_t step) {
  bool old = d->layout->encoding == PROBE_ABSOLUTE8 ||
             d->layout->encoding == PROBE_ABSOLUTE4;
  if (old || probe_is_rfc(d) ||
      (d->layout->encoding == PROBE_AUTO && runs_on(d, step))) {
    d->address = d->before;
    d->record.address = (d->address + step) & d->mask;
    probe_settle(d, probe_is_rfc(d) || old    ? d->layout->encoding
                    : d->layout->pointer == 8 ? PROBE_ABSOLUTE8
                                              : PROBE_ABSOLUTE4);
    if (!probe_is_code(d->probes, d->record.address))
      d->record.placed = PROBE_NO_CODE;
    return;
  }
  probe_begin_at(d, d->record.guid);
  probe_settle(d, PROBE_DELTA);
}
