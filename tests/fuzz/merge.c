/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: bareprof_merge_image on any bytes. The first byte chooses the
 * image: its version, its mode. The others are a profile, or edits of the valid
 * one, which reach beyond its magic and its header.
 *
 * Accepted is what the image itself writes, but for counters, bitmaps and
 * values, and nothing else; the former two are then added and united. What is
 * refused changes nothing, and the error tells a truth about the profile.
 */
#include <string.h>

#include "compose.h"
#include "input.h"

static struct firmware firmware, before;
static struct capture valid;

/* Offsets in the valid profile, by its own header. */
static struct { size_t header, counters, bitmap, live_end, end; } place;

static size_t header(enum header_field field) {
  size_t at = header_offset(&firmware.target, field);
  return at == NOWHERE ? 0 : load(&firmware.target, valid.bytes + at, 8);
}

static size_t up(size_t size) { return (size + 7) / 8 * 8; }

static void find_places(size_t width) {
  const struct target *target = &firmware.target;
  place.header = header_offset(target, H_FIELDS);
  place.counters = place.header + header(H_BINARY_IDS_SIZE) +
                   header(H_NUM_DATA) * record_offset(target, R_FIELDS);
  place.bitmap = place.counters + header(H_NUM_COUNTERS) * width +
                 header(H_PAD_AFTER_COUNTERS);
  place.live_end =
      place.bitmap + header(H_NUM_BITMAP_BYTES) + header(H_PAD_AFTER_BITMAP);
  place.end = place.live_end + up(header(H_NAMES_SIZE)) +
              up(header(H_NUM_VTABLES) * 24) + up(header(H_VNAMES_SIZE));
}

/* An image, its profile, and other counts than those in the profile. */
static void prepare(unsigned version, bool wide) {
  const struct target target = {version, 8, 0};
  compose(&firmware, &target, wide ? &everything : &everything_bytes);
  must(capture_image(&valid, &firmware.image) == 0, "the image is fine");
  find_places(wide ? 8 : 1);
  size_t counters = size_of(&firmware.image.counters);
  if (wide)
    for (size_t i = 0; i < counters / 8; i++)
      store(&target, firmware.counters + 8 * i, 8, i % 2 ? ~i : 3 * i);
  else
    for (size_t i = 0; i < counters; i++)
      firmware.counters[i] = i % 3 ? 0xFF : 0x3C;
  for (size_t i = 0; i < size_of(&firmware.image.bitmap); i++)
    firmware.bitmap[i] = (unsigned char)(0x0C + i);
  memcpy(&before, &firmware, sizeof firmware);
}

/* The valid profile with edits, in profile. Returns its size. */
static size_t edit(struct input *input, unsigned char *profile) {
  size_t size = valid.size;
  memcpy(profile, valid.bytes, sizeof valid.bytes);
  while (more(input)) {
    unsigned what = take(input);
    size_t at = take_number(input, 2);
    if (what & 8)
      at = place.counters + at % (place.live_end - place.counters);
    else
      at %= valid.size;
    unsigned char *word = profile + at / 8 * 8;
    switch (what % 5) {
    case 0:
      profile[at] ^= take(input);
      break;
    case 1:
      store(&firmware.target, word, 8,
            load(&firmware.target, word, 8) + take_step(input));
      break;
    case 2:
      store(&firmware.target, word, 8, take_number(input, 8));
      break;
    case 3:
      size = at;
      break;
    case 4:
      size = valid.size + take(input);
    }
  }
  return size;
}

/* Whether the profile differs from the valid one from begin up to end, as far
 * as it goes. */
static bool differs(const unsigned char *profile, size_t size, size_t begin,
                    size_t end) {
  if (end > size)
    end = size;
  return end > begin &&
         memcmp(profile + begin, valid.bytes + begin, end - begin) != 0;
}

static void check_refused(const unsigned char *profile, size_t size,
                          int error) {
  bool no_magic = size < 8 || differs(profile, size, 0, 8);
  bool other_header = differs(profile, size, 8, place.header);
  bool other_rest = differs(profile, size, place.header, place.counters) ||
                    differs(profile, size, place.live_end, place.end);
  /* Their sizes, too, may be wrong. */
  bool other_values = differs(profile, size, place.end, valid.size);
  must(memcmp(&firmware, &before, sizeof firmware) == 0,
       "a refused profile changes nothing");
  must(no_magic == (error == BAREPROF_E_NOT_PROFILE),
       "E_NOT_PROFILE if and only if the magic is another");
  must(no_magic ||
           (error == BAREPROF_E_TRUNCATED &&
            (size < valid.size || other_values)) ||
           (error == BAREPROF_E_OTHER_LAYOUT && other_header) ||
           (error == BAREPROF_E_OTHER_BUILD && (other_rest || other_values)),
       "the error tells a truth about the profile");
}

static void check_counters(const unsigned char *profile, bool wide) {
  size_t size = size_of(&firmware.image.counters);
  for (size_t i = 0; !wide && i < size; i++)
    must(firmware.counters[i] ==
             (before.counters[i] & profile[place.counters + i]),
         "byte counters are united");
  for (size_t i = 0; wide && i < size; i += 8) {
    const struct target *target = &firmware.target;
    uint64_t was = load(target, before.counters + i, 8);
    uint64_t more = load(target, profile + place.counters + i, 8);
    must(load(target, firmware.counters + i, 8) ==
             (more > UINT64_MAX - was ? UINT64_MAX : was + more),
         "counters are added up, to 2^64-1 at most");
  }
}

static void check_merged(const unsigned char *profile, size_t size, bool wide) {
  must(size >= place.end, "an accepted profile is whole");
  must(!differs(profile, size, 0, place.counters) &&
           !differs(profile, size, place.live_end, place.end),
       "an accepted profile is of this build");
  check_counters(profile, wide);
  for (size_t i = 0; i < size_of(&firmware.image.bitmap); i++)
    must(firmware.bitmap[i] == (before.bitmap[i] | profile[place.bitmap + i]),
         "bitmaps are united");
  memcpy(firmware.counters, before.counters, size_of(&firmware.image.counters));
  memcpy(firmware.bitmap, before.bitmap, size_of(&firmware.image.bitmap));
  must(memcmp(&firmware, &before, sizeof firmware) == 0,
       "merge changes counters and bitmap only");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum {
    VERSIONS = BAREPROF_RAW_VERSION_LAST - BAREPROF_RAW_VERSION_FIRST + 1
  };
  static unsigned char edited[sizeof valid.bytes];
  struct input input = {data, data + size};
  unsigned first = take(&input);
  bool wide = first & 2;
  prepare(BAREPROF_RAW_VERSION_FIRST + (first >> 2) % VERSIONS, wide);

  /* In a block of its very size, at any alignment. */
  const unsigned char *from = edited;
  size_t shift = first >> 5;
  if (first & 1) {
    from = input.at;
    size = (size_t)(input.end - input.at);
  } else {
    size = edit(&input, edited);
  }
  unsigned char *block = malloc(shift + size);
  unsigned char *profile = block + shift;
  if (size)
    memcpy(profile, from, size);
  int error = bareprof_merge_image(&firmware.image, profile, size);
  if (error)
    check_refused(profile, size, error);
  else
    check_merged(profile, size, wide);
  free(block);
  return 0;
}
