/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads the header of MIP files, and adds raw data from targets to the profile
 * of their build (mip_file.h has the format). A file is read twice: first to
 * check it, then to add it.
 */
#include <stdlib.h>
#include <string.h>

#include "../base/need.h"
#include "mip_file.h"

/* ==== Reads and writes headers. */

enum { VERSION_MOST = 8, WIDE = 0x10, NARROW = 0x20 };

static const unsigned char magic[4] = {0xFB, 'M', 'I', 'P'};
static const unsigned char big_magic[4] = {'P', 'I', 'M', 0xFB};

/* File types, by revision and kind. */
static const uint16_t file_types[2][MIP_KINDS] = {
    [MIP_A] =
        {[MIP_RAW] = 1, [MIP_MAP] = 2, [MIP_PROFILE] = 3, [MIP_EDGES] = 4},
    [MIP_B] = {
        [MIP_RAW] = 1, [MIP_EDGES] = 2, [MIP_MAP] = 4, [MIP_PROFILE] = 8}};

static const char strange[] =
    "the header is not from a supported MIP file; make the file again";

static const char *parse_file_type(struct mip_header *header,
                                   unsigned file_type) {
  if (header->revision == MIP_B) {
    unsigned bits = file_type & (WIDE | NARROW);
    if (bits != WIDE && bits != NARROW)
      return strange;
    header->wide = bits == WIDE;
    file_type -= bits;
  }
  for (unsigned i = 0; i < MIP_KINDS; i++)
    if (file_types[header->revision][i] == file_type) {
      header->kind = (enum mip_kind)i;
      return NULL;
    }
  return strange;
}

const char *mip_header_parse(struct mip_header *header, struct bytes bytes) {
  const unsigned char *at = bytes.data;
  *header = (struct mip_header){0};
  if (bytes.size < 24)
    return "the file is too short for a MIP file; pass a .mip, a map, a raw "
           "section or an ELF";
  bool big = header->big = !memcmp(at, big_magic, sizeof big_magic);
  if (!big && memcmp(at, magic, sizeof magic))
    return "this is neither a MIP file nor a raw section that "
           "bareprof_mip_init prepared; pass a .mip, a map, a raw section or "
           "an ELF";
  header->build = load32(at + 16, big);
  if (load32(at + 20, big) != 24) {
    header->revision = MIP_B;
    if (bytes.size < 32 || load32(at + 28, big) != 32)
      return strange;
    header->raw_section = (int64_t)load64(at + 16, big);
    header->build = load32(at + 24, big);
  }
  header->version = load16(at + 4, big);
  header->type = load32(at + 8, big);
  header->hash = load32(at + 12, big);
  if (header->version > VERSION_MOST)
    return "the file has a later format version; upgrade bareprof";
  const char *error = parse_file_type(header, load16(at + 6, big));
  /* in the 32-bit format, padding follows the number */
  if (header->revision == MIP_B && !header->wide)
    header->raw_section = (int32_t)load32(at + 16, big);
  return error;
}

void mip_header_append(const struct mip_header *header, struct buffer *to) {
  unsigned char bytes[32] = {0};
  unsigned file_type = file_types[header->revision][header->kind];
  size_t size = mip_header_size(header->revision);
  memcpy(bytes, magic, sizeof magic);
  store16(bytes + 4, header->version, false);
  store32(bytes + 8, header->type, false);
  store32(bytes + 12, header->hash, false);
  if (header->revision == MIP_B) {
    file_type |= header->wide ? WIDE : NARROW;
    store_number(bytes + 16, (uint64_t)header->raw_section,
                 header->wide ? 8 : 4, false);
  }
  store16(bytes + 6, (uint16_t)file_type, false);
  store32(bytes + size - 8, header->build, false);
  store32(bytes + size - 4, (uint32_t)size, false);
  need_append(to, bytes, size);
}

struct mip_header mip_header_from_profile(const struct mip_profile *profile,
                                          enum mip_kind kind) {
  return (struct mip_header){.revision = profile->revision,
                             .kind = kind,
                             .wide = profile->wide,
                             .version = profile->version,
                             .type = profile->type,
                             .hash = profile->hash,
                             .build = profile->build};
}

void mip_profile_set_header(struct mip_profile *profile,
                            const struct mip_header *header) {
  profile->revision = header->revision;
  profile->wide = header->wide;
  profile->version = header->version;
  profile->type = header->type;
  profile->hash = header->hash;
  profile->build = header->build;
}

/* Checks the hashes of two build ids. Returns NULL or the error. */
static const char *check_build_hashes(uint32_t profile, uint32_t added) {
  if (!profile)
    return "the profile has no build id, so its build is unknown; link with "
           "--build-id, create the profile from the ELF, or use --any-build";
  if (!added)
    return "the build id is missing, so the build of this data is unknown; "
           "link with --build-id, or use --any-build";
  return profile == added ? NULL
                          : "the build id does not match the profile; pass "
                            "files of one build";
}

/* ==== Reads raw data from targets. */

enum { NEVER = 0xFF };

static const char other_build[] = "the data is from another build than the "
                                  "profile; pass files of one build";

/* The number of a function's calls in all raw sections of a file, and the sum
 * of its edges' counts, which is an estimate of this number. */
struct function_call_sums {
  uint64_t calls, edges;
};

struct mip_raw_parser {
  struct mip_profile *profile;
  const struct mip_raw_options *options;
  bool add;   /* false: only check the file and add up `shares` */
  bool lossy; /* edges are missing, so the sums of edges are not known */
  bool big;   /* the section that is being read is big-endian */
  /* sums of the functions, if calls are sampled; valid after the check */
  struct function_call_sums *shares;
  bool *ran; /* states whether the entry and the blocks of the current function
                ran */
};

/* ---- raw sections ---- */

/* Sets *ran to whether the code of a byte ran, which is a function or a block.
 * Returns NULL or the error. */
static const char *parse_ran_byte(const struct mip_raw_parser *reading,
                                  unsigned byte, bool *ran) {
  *ran = byte != NEVER;
  return *ran && reading->options->strict && byte
             ? "a byte is neither 0 nor 0xFF; remove --strict, or pass "
               "files of one build"
             : NULL;
}

/* If calls are sampled, a function has four words. The first word is the number
 * of calls at the next sample, minus 1. The third word is the number of these
 * calls that have not been made yet, minus 1. If the top 12 bits of the first
 * word are FULL, the word does not change any more. */
enum { FULL = 0xFFF };

static uint32_t compute_sampled_calls(const struct mip_raw_parser *reading,
                                      const unsigned char *at) {
  uint32_t calls = load32(at, reading->big);
  return calls >> 20 == FULL ? calls : calls - load32(at + 8, reading->big);
}

static const char *parse_call_counts(const struct mip_raw_parser *reading,
                                     const unsigned char *at,
                                     struct mip_function *run) {
  uint32_t calls = load32(at, reading->big);
  uint32_t when = load32(at + 4, reading->big);
  /* Both words are ~0 before the first call. A dump that interrupts the first
   * call may have one of them. */
  if (calls == UINT32_MAX || when == UINT32_MAX)
    return NULL;
  if (reading->profile->type & MIP_SAMPLED)
    calls = compute_sampled_calls(reading, at);
  if (calls == UINT32_MAX || calls == 0)
    return "a call count does not match its time, as if bareprof_mip_init had "
           "not run; fetch the raw section again, or pass the profile of this "
           "build";
  run->runs = 1;
  run->calls = calls;
  run->order = when;
  return NULL;
}

static const char *parse_block_bytes(const struct mip_raw_parser *reading,
                                     const unsigned char *at,
                                     const struct mip_function *function) {
  const char *error = NULL;
  bool has = reading->profile->type & MIP_BLOCKS;
  for (uint32_t i = 0; i < function->block_count && !error; i++) {
    reading->ran[i + 1] = false;
    if (has && !function->blocks[i].implied)
      error = parse_ran_byte(reading, *at++, &reading->ran[i + 1]);
  }
  return error;
}

static const char *
check_or_add_function_bytes(const struct mip_raw_parser *reading,
                            const unsigned char *at,
                            struct mip_function *function) {
  bool counts = mip_has_counts(reading->profile), *ran = reading->ran;
  struct mip_function run = {0};
  const char *error = counts ? parse_call_counts(reading, at, &run)
                             : parse_ran_byte(reading, *at, ran);
  if (counts)
    *ran = run.runs;
  if (reading->shares && !reading->add)
    reading->shares[function - reading->profile->functions].calls += run.calls;
  if (!error)
    error = parse_block_bytes(
        reading, at + mip_entry_size(reading->profile->type), function);
  if (error || !reading->add)
    return error;
  mip_infer_blocks(function, ran);
  if (!counts)
    run.runs = run.calls = *ran;
  mip_add_runs(reading->profile, function, &run);
  for (uint32_t i = 0; i < function->block_count; i++)
    function->blocks[i].covered |= ran[i + 1];
  return NULL;
}

/* Returns whether the bytes from offset `from` up to `to` have their initial
 * value, or are padding. */
static bool is_padding_or_initial(struct bytes bytes, size_t from, size_t to) {
  for (; from < to; from++)
    if (bytes.data[from] != 0 && bytes.data[from] != NEVER)
      return false;
  return true;
}

/* Reads the raw section at the beginning of the bytes. *end is the offset after
 * the header, and becomes the offset after the last function. */
static const char *parse_raw_section(const struct mip_raw_parser *reading,
                                     struct bytes bytes, size_t *end) {
  const struct mip_profile *profile = reading->profile;
  const char *error = NULL;
  for (size_t i = 0; i < profile->function_count && !error; i++) {
    struct mip_function *function =
        &profile->functions[profile->by_raw[i].number];
    uint64_t size = mip_function_raw_size(profile, function);
    if (function->raw > bytes.size || size > bytes.size - function->raw)
      return "the raw section is too short for this build; fetch the raw "
             "section again, or pass files of one build";
    if (function->raw < *end ||
        !is_padding_or_initial(bytes, *end, (size_t)function->raw))
      return other_build;
    error = check_or_add_function_bytes(reading, bytes.data + function->raw,
                                        function);
    *end = (size_t)(function->raw + size);
  }
  return error;
}

/* ---- edges ---- */

/* The first pass over the file adds up the counts of a function's edges. The
 * second pass scales these counts, so that their sum is the number of the
 * function's calls, if this number is known. */
static uint64_t sum_or_scale_edge_count(struct function_call_sums *share,
                                        uint64_t count, bool add) {
  if (!add)
    share->edges += count;
  if (!add || !share->calls || !share->edges)
    return count;
  double scaled = (double)count * (double)share->calls / (double)share->edges;
  return scaled < 1 ? 1 : (uint64_t)(scaled + 0.5);
}

static const char *check_or_add_raw_edge(const struct mip_raw_parser *reading,
                                         const unsigned char *at) {
  struct mip_edge edge = {0, (int32_t)load32(at + 4, reading->big),
                          load32(at + 8, reading->big)};
  /* Callee and return address are 0, and so at the same distance, if a reset
   * interrupted the count of the edge. */
  if (load32(at, reading->big) == (uint32_t)edge.from)
    return NULL;
  if (!mip_find_function_by_raw(reading->profile, load32(at, reading->big),
                                &edge.callee))
    return other_build;
  if (reading->shares && !reading->lossy)
    edge.count = sum_or_scale_edge_count(&reading->shares[edge.callee],
                                         edge.count, reading->add);
  if (reading->add && edge.count)
    mip_add_edge(reading->profile, &edge);
  return NULL;
}

static const char *check_or_add_raw_edges(struct mip_raw_parser *reading,
                                          struct bytes bytes, size_t header,
                                          size_t *end) {
  if (bytes.size - header < 8)
    return "the edges are truncated; fetch the edges again";
  const unsigned char *at = bytes.data + header;
  uint32_t count = load32(at, reading->big);
  const char *error = NULL;
  if (count > (bytes.size - header - 8) / 12)
    return "the edges are truncated; fetch the edges again";
  uint32_t lost = load32(at + 4, reading->big);
  reading->lossy |= lost != 0;
  if (reading->add)
    reading->profile->lost = add_saturated(reading->profile->lost, lost);
  at += 8;
  for (uint32_t i = 0; i < count && !error; i++, at += 12)
    error = check_or_add_raw_edge(reading, at);
  *end = (size_t)(at - bytes.data);
  return error;
}

/* ---- files ---- */

/* Finds the header of the next part. Sets *next to its offset, or to the size
 * of the file. Returns NULL or the error. */
static const char *find_header_or_end(struct bytes file, size_t from,
                                      size_t *next) {
  static const char foreign[] =
      "unknown data follows the last function or edge; fetch the raw section "
      "again, or pass files of one build";
  struct mip_header header;
  for (*next = from; *next < file.size; ++*next) {
    const unsigned char *at = file.data + *next;
    if (*at != 0 && *at != NEVER)
      return mip_header_parse(&header, (struct bytes){at, file.size - *next})
                 ? foreign
                 : NULL;
  }
  return NULL;
}

/* Returns whether the revisions of a profile and a raw section fit. Raw
 * sections of bareprof have revision A even if the map needs 64 bits, because
 * raw sections lack addresses. */
static bool revisions_fit(const struct mip_profile *profile,
                          const struct mip_header *header) {
  return profile->wide ? header->revision == MIP_A || header->wide
                       : header->revision == profile->revision && !header->wide;
}

static const char *parse_section_or_edges(struct mip_raw_parser *reading,
                                          struct bytes bytes, size_t *end) {
  const struct mip_profile *profile = reading->profile;
  struct mip_header header;
  const char *error = mip_header_parse(&header, bytes);
  if (error)
    return error;
  if (header.kind != MIP_RAW && header.kind != MIP_EDGES)
    return "the data is neither a raw section nor edges; pass the data that "
           "the target sent";
  reading->big = header.big;
  if (header.hash != profile->hash)
    return "the module hash does not match the profile; pass files of one "
           "build";
  if (reading->options->same_build)
    error = check_build_hashes(profile->build, header.build);
  if (error)
    return error;
  if (header.kind == MIP_EDGES)
    return check_or_add_raw_edges(reading, bytes,
                                  mip_header_size(header.revision), end);
  if (header.type != profile->type)
    return "the profile type does not match the profile; pass files of one "
           "build";
  if (!revisions_fit(profile, &header))
    return "the file format revision does not match the profile; pass files "
           "of one build";
  *end = mip_header_size(header.revision);
  return parse_raw_section(reading, bytes, end);
}

static const char *parse_raw_file(struct mip_raw_parser *reading,
                                  struct bytes file) {
  const char *error = NULL;
  size_t at = 0, end = 0;
  do {
    struct bytes rest = {file.data + at, file.size - at};
    error = parse_section_or_edges(reading, rest, &end);
    if (!error)
      error = find_header_or_end(file, at + end, &at);
  } while (at < file.size && !error);
  return error;
}

const char *mip_raw_add(struct mip_profile *profile, struct bytes file,
                        const struct mip_raw_options *options) {
  struct mip_raw_parser reading = {.profile = profile, .options = options};
  size_t most = 0, functions = profile->function_count;
  for (size_t i = 0; i < functions; i++)
    if (profile->functions[i].block_count > most)
      most = profile->functions[i].block_count;
  reading.ran = need_memory(malloc(most + 1));
  if (profile->type & MIP_SAMPLED)
    reading.shares = need_memory(calloc(functions + 1, sizeof *reading.shares));
  const char *error = parse_raw_file(&reading, file);
  reading.add = true;
  if (!error)
    error = parse_raw_file(&reading, file);
  free(reading.shares);
  free(reading.ran);
  return error;
}

const char *mip_add_file(struct mip_profile *to, struct bytes file,
                         const struct mip_raw_options *options) {
  struct mip_header header;
  struct mip_profile from = {0};
  const char *error = mip_header_parse(&header, file);
  if (error)
    return error;
  if (header.kind != MIP_PROFILE)
    return mip_raw_add(to, file, options);
  error = mip_profile_parse(&from, file);
  if (!error && options->same_build)
    error = check_build_hashes(to->build, from.build);
  if (!error)
    error = mip_add_profile(to, &from);
  mip_profile_free(&from);
  return error;
}
