/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * tools/mip: files whose bytes are written here by hand, read and written, of
 * both revisions; hashes; sums that do not fit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "base/buffer.h"
#include "mip_file.h"
#include "digest.h"

/* ---- bytes ---- */

/* Hexadecimal digits, with spaces anywhere; in memory of their very size, for
 * the sanitizer. */
static struct bytes hex(const char *text) {
  static unsigned char *block[4];
  static unsigned next;
  unsigned char bytes[1024];
  size_t count = 0;
  for (const char *at = text; *at; at++) {
    unsigned digit =
        strchr("0123456789ABCDEF", *at)
            ? (unsigned)(strchr("0123456789ABCDEF", *at) - "0123456789ABCDEF")
            : 16;
    if (digit == 16)
      continue;
    bytes[count / 2] = (unsigned char)(bytes[count / 2] << 4 | digit);
    count++;
  }
  next = (next + 1) % 4;
  free(block[next]);
  block[next] = malloc(count / 2 + 1);
  memcpy(block[next], bytes, count / 2);
  return (struct bytes){block[next], count / 2};
}

static void expect_bytes(struct bytes expected, const struct buffer *got) {
  expect(expected.size, got->size);
  for (size_t i = 0; i < expected.size && i < got->size; i++)
    if (!expect(expected.data[i], got->data[i])) {
      fprintf(stderr, "byte %zu\n", i);
      return;
    }
}

typedef void writer(const struct mip_profile *, struct buffer *);

static void expect_written(writer *write, const struct mip_profile *profile,
                           const char *text) {
  struct buffer buffer = {.limit = 1 << 20};
  write(profile, &buffer);
  expect_bytes(hex(text), &buffer);
  buffer_free(&buffer);
}

static const struct mip_raw_options lenient = {false}, strict = {true};

/* ---- the two functions of the format's own example ---- */

#define HEAD "FB4D4950 0700 "
#define HEAD_REST "01000000 EFBEADDE 00000000 18000000 "

static const char map[] =
    HEAD "0200" HEAD_REST
         "80FEFFFF 98FEFFFF 80FFFFFF 10000000 15770E00 01000000 04000000"
         "03000000 666F6F 0000000000"
         "98FEFFFF B1FEFFFF A8FFFFFF 30000000 11110000 00000000"
         "04000000 6D61696E";
static const char raw[] = HEAD "0100" HEAD_REST "00 FF";
static const char merged[] = HEAD
    "0300" HEAD_REST "0200000000000000"
    "ACBD18DB4CC2F85C 18000000 00010000 10000000 15770E00 01000000 01000000"
    "0100000000000000 0000000000000000 04000000 00 00000000"
    "FAD58DE7366495DB 19000000 10010000 30000000 11110000 00000000 00000000"
    "0000000000000000 0000000000000000 00000000"
    "0200000000000000 666F6F00 6D61696E00";
/* As we write it: from the start of the raw section. */
static const char plain_map[] =
    HEAD "0200" HEAD_REST
         "00000000 18000000 00010000 10000000 15770E00 01000000 04000000"
         "03000000 666F6F 0000000000"
         "00000000 19000000 10010000 30000000 11110000 00000000"
         "04000000 6D61696E";

static void check_example(void) {
  struct mip_profile profile, again;
  check_begin("formats: the two functions of the example");
  expect_true(!mip_map_parse(&profile, hex(map)));
  expect(2, profile.function_count);
  expect_true(!strcmp(profile.functions[0].name, "foo"));
  expect(0x18, profile.functions[0].raw);
  expect(0x100, profile.functions[0].address);
  expect(4, profile.functions[0].blocks[0].offset);
  expect(0x19, profile.functions[1].raw);
  expect(0x110, profile.functions[1].address);
  expect_true(!mip_raw_add(&profile, hex(raw), &strict));
  expect(1, profile.functions[0].runs);
  expect(0, profile.functions[1].runs);
  expect_written(mip_profile_append, &profile, merged);
  expect_written(mip_map_append, &profile, plain_map);
  expect_true(!mip_profile_parse(&again, hex(merged)));
  expect_written(mip_profile_append, &again, merged);
  mip_profile_free(&again);
  expect_true(!mip_map_parse(&again, hex(plain_map)));
  expect_written(mip_map_append, &again, plain_map);
  mip_profile_free(&again);
  mip_profile_free(&profile);
  check_end();
}

/* ---- revision B ---- */

static const char wide_map[] =
    "FB4D4950 0800 1400 03000000 EFBEADDE 0000010000000000 00000000 20000000"
    "0000010000000000 E0BF000000000000 40000000 27FAC970 02000000"
    "08000000 10000000 04000000 6D61696E 00000000"
    "D3FF000000000000 B000010000000000 10000000 00000000 00000000"
    "03000000 666F6F 00";
static const char wide_raw[] =
    "FB4D4950 0800 1100 03000000 EFBEADDE 0000000000000000 00000000 20000000"
    "00 FF 00 FF";
static const char wide_profile[] =
    "FB4D4950 0800 1800 03000000 EFBEADDE 0000000000000000 00000000 20000000"
    "0200000000000000"
    "FAD58DE7366495DB 2000000000000000 00C0FFFFFFFFFFFF 40000000 27FAC970"
    "02000000 01000000 0100000000000000 0000000000000000"
    "08000000 00 10000000 01 00000000"
    "ACBD18DB4CC2F85C 2300000000000000 0001000000000000 10000000 00000000"
    "00000000 00000000 0000000000000000 0000000000000000 00000000"
    "0200000000000000 666F6F00 6D61696E00";

static void check_wide(void) {
  struct mip_profile profile, again;
  struct buffer buffer = {.limit = 1 << 20};
  check_begin("formats: revision B of 64 bits");
  expect_true(!mip_map_parse(&profile, hex(wide_map)));
  expect_true(!mip_raw_add(&profile, hex(wide_raw), &strict));
  expect_written(mip_profile_append, &profile, wide_profile);
  mip_map_append(&profile, &buffer);
  expect_true(!mip_map_parse(&again, (struct bytes){buffer.data, buffer.size}));
  expect_true(!mip_check_same_build(&profile, &again));
  mip_profile_free(&again);
  expect_true(!mip_profile_parse(&again, hex(wide_profile)));
  expect_written(mip_profile_append, &again, wide_profile);
  mip_profile_free(&again);
  mip_profile_free(&profile);
  buffer_free(&buffer);
  check_end();
}

/* The second record is at a multiple of 4. */
static const char narrow_map[] =
    "FB4D4950 0800 2400 01000000 EFBEADDE 00FFFFFF 00000000 00000000 20000000"
    "00FFFFFF E0FEFFE7 10000000 00000000 00000000 04000000 6D61696E"
    "E5FEFFFF D4FEFFE7 20000000 00000000 00000000 01000000 66 000000";
static const char narrow_profile[] =
    "FB4D4950 0800 2800 01000000 EFBEADDE 0000000000000000 00000000 20000000"
    "0200000000000000"
    "FAD58DE7366495DB 2000000000000000 000000E8FFFFFFFF 10000000 00000000"
    "00000000 00000000 0000000000000000 0000000000000000 00000000"
    "8FA14CDD754F91CC 2100000000000000 100000E8FFFFFFFF 20000000 00000000"
    "00000000 00000000 0000000000000000 0000000000000000 00000000"
    "0200000000000000 6600 6D61696E00";

static void check_narrow(void) {
  struct mip_profile profile, again;
  struct buffer buffer = {.limit = 1 << 20};
  check_begin("formats: revision B of 32 bits");
  expect_true(!mip_map_parse(&profile, hex(narrow_map)));
  expect_written(mip_profile_append, &profile, narrow_profile);
  mip_map_append(&profile, &buffer);
  expect(0x58, buffer.size);
  expect_true(!mip_map_parse(&again, (struct bytes){buffer.data, buffer.size}));
  expect_true(!mip_check_same_build(&profile, &again));
  mip_profile_free(&again);
  mip_profile_free(&profile);
  buffer_free(&buffer);
  check_end();
}

/* ---- counts and edges ---- */

/* main at 0x1000, 0x20 bytes; foo behind it; of 12. */
static const char counts_map[] =
    "FB4D4950 0800 0200 0C000000 EFBEADDE 00000000 18000000"
    "00000000 18000000 00100000 20000000 00000000 00000000"
    "04000000 6D61696E"
    "00000000 20000000 20100000 20000000 00000000 00000000"
    "03000000 666F6F";
/* main called once, first; foo 5 times, second; 3 of these from main. */
static const char counts_raw[] =
    "FB4D4950 0800 0100 0C000000 EFBEADDE 00000000 18000000"
    "01000000 01000000 05000000 02000000";
static const char counts_edges[] =
    "FB4D4950 0800 0400 0C000000 EFBEADDE 00000000 18000000"
    "02000000 07000000 20000000 F0FFFFFF 02000000 20000000 08100000 03000000";
static const char counts_profile[] =
    "FB4D4950 0800 0300 0C000000 EFBEADDE 00000000 18000000 0200000000000000"
    "FAD58DE7366495DB 18000000 00100000 20000000 00000000 00000000 01000000"
    "0100000000000000 0100000000000000 00000000"
    "ACBD18DB4CC2F85C 20000000 20100000 20000000 00000000 00000000 01000000"
    "0500000000000000 0200000000000000 00000000"
    "0200000000000000 666F6F00 6D61696E00 00000000000000"
    "FB425045 01000000 0700000000000000 0200000000000000"
    "0100000000000000 F0FFFFFFFFFFFFFF 0200000000000000"
    "0100000000000000 0810000000000000 0300000000000000";

static void check_counts(void) {
  struct mip_profile profile, again;
  char both[2048];
  check_begin("formats: counts and edges");
  snprintf(both, sizeof both, "%s%s", counts_raw, counts_edges);
  expect_true(!mip_map_parse(&profile, hex(counts_map)));
  expect_true(!mip_raw_add(&profile, hex(both), &lenient));
  mip_sort_and_merge_edges(&profile);
  expect_written(mip_profile_append, &profile, counts_profile);
  expect_true(!mip_profile_parse(&again, hex(counts_profile)));
  expect_written(mip_profile_append, &again, counts_profile);
  mip_profile_free(&again);
  mip_profile_free(&profile);
  check_end();
}

/* A reset that interrupts the count of an edge leaves a count whose callee and
 * return address are 0: minus the raw section's address, here 0x20000000. */
static void check_edge_after_reset(void) {
  struct mip_profile profile;
  check_begin("formats: an edge that a reset has cleared");
  expect_true(!mip_map_parse(&profile, hex(counts_map)));
  expect_true(!mip_raw_add(
      &profile,
      hex("FB4D4950 0800 0400 0C000000 EFBEADDE 00000000 18000000"
          "02000000 00000000 000000E0 000000E0 01000000"
          "20000000 08100000 03000000 00000000"),
      &lenient));
  if (expect(1, profile.edge_count))
    expect(3, profile.edges[0].count);
  mip_profile_free(&profile);
  check_end();
}

/* A dump that interrupts the first call of a function may have its number
 * without a count, or a count of 0 without a number. */
static void check_first_calls(void) {
  static const char *const foo[] = {"FFFFFFFF 02000000", "00000000 FFFFFFFF"};
  check_begin("formats: a first call that a dump interrupts");
  for (size_t i = 0; i < 2; i++) {
    struct mip_profile profile;
    char raw[2048];
    snprintf(raw, sizeof raw, "%.*s%s",
             (int)(sizeof counts_raw - sizeof " 05000000 02000000"), counts_raw,
             foo[i]);
    expect_true(!mip_map_parse(&profile, hex(counts_map)));
    expect_true(!mip_raw_add(&profile, hex(raw), &lenient));
    expect(1, profile.functions[0].calls);
    expect(0, profile.functions[1].runs);
    mip_profile_free(&profile);
  }
  check_end();
}

/* Of type 60: main called once, foo 10 times, of which 8 are in the samples; a
 * file with two such boots has 20 calls. */
static const char sampled_map[] =
    "FB4D4950 0800 0200 3C000000 EFBEADDE 00000000 18000000"
    "00000000 18000000 00100000 20000000 00000000 00000000"
    "04000000 6D61696E"
    "00000000 28000000 20100000 20000000 00000000 00000000"
    "03000000 666F6F";
static const char sampled_boot[] =
    "FB4D4950 0800 0100 3C000000 EFBEADDE 00000000 18000000"
    "3F000000 01000000 3E000000 00000000 3F000000 02000000 35000000 00000000"
    "FB4D4950 0800 0400 3C000000 EFBEADDE 00000000 18000000"
    "01000000 00000000 28000000 08100000 08000000 00000000";

static void check_boots(void) {
  struct mip_profile profile;
  char both[2048];
  check_begin("formats: samples of two boots in one file");
  snprintf(both, sizeof both, "%s%s", sampled_boot, sampled_boot);
  expect_true(!mip_map_parse(&profile, hex(sampled_map)));
  expect_true(!mip_raw_add(&profile, hex(both), &lenient));
  mip_sort_and_merge_edges(&profile);
  expect(20, profile.functions[1].calls);
  expect(1, profile.edge_count);
  expect(20, profile.edges[0].count);
  mip_profile_free(&profile);
  check_end();
}

/* What a target has sent, cut at any byte, is refused; and nothing is read
 * behind it. */
static void check_cut(void) {
  struct mip_profile profile;
  check_begin("formats: what is cut short is refused");
  expect_true(!mip_map_parse(&profile, hex(counts_map)));
  for (unsigned which = 0; which < 2; which++) {
    struct bytes whole = hex(which ? counts_edges : counts_raw);
    for (size_t size = 0; size < whole.size; size++) {
      unsigned char *bytes = malloc(size ? size : 1);
      memcpy(bytes, whole.data, size);
      check_where("%zu bytes of %zu", size, whole.size);
      expect_true(mip_raw_add(&profile, (struct bytes){bytes, size}, &lenient));
      free(bytes);
    }
  }
  mip_profile_free(&profile);
  check_end();
}

/* Of a map: counts that are not aligned, and headers of no width or both. */
static void check_odd_maps(void) {
  struct mip_profile profile;
  check_begin("formats: maps that nobody can have made are refused");
  expect_true(mip_map_parse(
      &profile, hex("FB4D4950 0800 0200 0C000000 EFBEADDE 00000000 18000000"
                    "00000000 18000000 00100000 20000000 00000000 00000000"
                    "04000000 6D61696E"
                    "00000000 22000000 20100000 20000000 00000000 00000000"
                    "03000000 666F6F")));
  mip_profile_free(&profile);
  static const char *const widths[] = {"0400", "3400"};
  for (unsigned i = 0; i < 2; i++) {
    char text[128];
    snprintf(text, sizeof text,
             "FB4D4950 0800 %s 01000000 EFBEADDE 0000000000000000 00000000"
             "20000000",
             widths[i]);
    check_where("file type %s", widths[i]);
    expect_true(mip_map_parse(&profile, hex(text)));
    mip_profile_free(&profile);
  }
  check_end();
}

static void check_sums(void) {
  struct mip_profile profile;
  check_begin("formats: sums stay at the most there is");
  expect_true(!mip_map_parse(&profile, hex(counts_map)));
  struct mip_function *function = &profile.functions[1];
  function->calls = UINT64_MAX - 3;
  function->order = UINT64_MAX - 1;
  function->runs = UINT32_MAX;
  profile.lost = UINT64_MAX - 1;
  const struct mip_edge edge = {1, 0x1008, UINT64_MAX - 1};
  mip_add_edge(&profile, &edge);
  expect_true(!mip_raw_add(&profile, hex(counts_raw), &strict));
  expect_true(!mip_raw_add(&profile, hex(counts_edges), &strict));
  mip_sort_and_merge_edges(&profile);
  expect(UINT64_MAX, function->calls);
  expect(UINT64_MAX, function->order);
  expect(UINT32_MAX, function->runs);
  expect(UINT64_MAX, profile.lost);
  expect(2, profile.edge_count);
  expect(UINT64_MAX, profile.edges[1].count);
  mip_profile_free(&profile);
  check_end();
}

static void check_bytes(void) {
  struct mip_profile profile;
  struct bytes bytes;
  check_begin("formats: what other than 0xFF has run, or only what is 0");
  expect_true(!mip_map_parse(&profile, hex(map)));
  bytes = hex(HEAD "0100" HEAD_REST "A8 FF");
  expect_true(mip_raw_add(&profile, bytes, &strict));
  expect(0, profile.functions[0].runs);
  expect_true(!mip_raw_add(&profile, bytes, &lenient));
  expect(1, profile.functions[0].runs);
  expect_true(!mip_raw_add(&profile, hex(raw), &lenient));
  expect(2, profile.functions[0].runs);
  expect(1, profile.functions[0].calls);
  mip_profile_free(&profile);
  check_end();
}

/* Two functions of one name, which is there once, and calls that were lost
 * where no edge is known. */
static const char namesakes[] =
    "FB4D4950 0800 0300 01000000 EFBEADDE 00000000 18000000 0200000000000000"
    "ACBD18DB4CC2F85C 18000000 00010000 10000000 00000000 00000000 00000000"
    "0000000000000000 0000000000000000 00000000"
    "ACBD18DB4CC2F85C 19000000 10010000 10000000 00000000 00000000 00000000"
    "0000000000000000 0000000000000000 00000000"
    "0100000000000000 666F6F00 00000000"
    "FB425045 01000000 0900000000000000 0000000000000000";

static void check_namesakes(void) {
  struct mip_profile profile;
  check_begin("formats: two functions of one name; calls lost, and no edges");
  expect_true(!mip_profile_parse(&profile, hex(namesakes)));
  expect(9, profile.lost);
  expect_written(mip_profile_append, &profile, namesakes);
  mip_profile_free(&profile);
  check_end();
}

/* ---- hashes ---- */

static void check_hashes(void) {
  static const char text[] = "{1;2;}{2;}{}";
  check_begin("formats: hashes");
  expect(0xFF70EA5D, mip_module_hash("a.out"));
  expect(0x70C9FA27, (uint32_t)md5_low64(text, sizeof text - 1));
  check_end();
}

int main(void) {
  check_example();
  check_wide();
  check_narrow();
  check_counts();
  check_edge_after_reset();
  check_first_calls();
  check_boots();
  check_cut();
  check_odd_maps();
  check_sums();
  check_bytes();
  check_namesakes();
  check_hashes();
  return 0;
}
