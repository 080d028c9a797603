/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: the scanner on any bytes, and on streams that the input makes of
 * frames in the runtime's encoding, text, and damage.
 *
 * However a stream is cut, the same comes out in the same order. A frame has
 * a right check. The text is the stream with some taken out: as much as the
 * frames need at least; nothing, if there are none. Frames that nothing was
 * done to come out.
 */
#include <string.h>

#include "input.h"
#include "wire.h"
#include "reassembly.h"
#include "scan.h"

/* More than the window of the scanner; less of it is rewritten, for speed. */
enum { ROOM = 10000, REWRITTEN = 1500 };

/* What goes in: the stream, and how many frames are in it. */
static struct {
  unsigned char bytes[ROOM];
  size_t size, last; /* the last part's beginning */
  size_t frames;
  bool harmed;
} made;

/* What comes out: the text; and all in order, where a frame is its size, its
 * bytes and whether it was mended. */
struct heard {
  unsigned char text[ROOM], all[4 * ROOM];
  size_t text_size, size, frames, frame_bytes;
};
static struct heard once, again;

/* ---- a stream ---- */

static int to_made(void *context, const void *bytes, size_t size) {
  (void)context;
  if (size > ROOM - made.size) {
    size = ROOM - made.size;
    made.harmed = true;
  }
  memcpy(made.bytes + made.size, bytes, size);
  made.size += size;
  return 0;
}

static void add_frame(struct input *input, bool binary) {
  static const struct bareprof_sink sink = {to_made, NULL};
  struct bareprof_stream stream = {
      .sink = &sink, .encoding = binary ? bareprof_binary : bareprof_text};
  unsigned size = take(input) % 160, byte = take(input), step = take(input);
  made.frames++;
  made.last = made.size;
  bareprof_frame_begin(&stream, byte);
  for (; size; size--, byte += step)
    bareprof_frame_put_byte(&stream, byte & 255);
  bareprof_frame_end(&stream);
}

static const char *const texts[] = {"tick\n",
                                    "[12] a log\r\n",
                                    "\x1B[32m[ 1.5] app: ",
                                    "~",
                                    "{",
                                    "}\n",
                                    "ABCDEFGHIJK",
                                    "\n",
                                    "\x1B[0m\r\n",
                                    "\xFA",
                                    "\xFB",
                                    "[7] app: ",
                                    "T\xC3\xBCr\n",
                                    "~{",
                                    "\xFC",
                                    "\r\n"};

/* Text by its number. The first two are whole lines, which do no harm. */
static void add_text(unsigned number) {
  const char *text = texts[number % 16];
  made.harmed |= number % 16 > 1;
  to_made(NULL, text, strlen(text));
}

/* Text into the last part. */
static void splice(struct input *input) {
  static unsigned char behind[ROOM];
  unsigned number = take(input);
  size_t at = made.last < made.size ? made.last : made.size;
  if (made.size > made.last)
    at += take_number(input, 2) % (made.size - made.last);
  size_t size = made.size - at;
  memcpy(behind, made.bytes + at, size);
  made.size = at;
  add_text(number);
  to_made(NULL, behind, size);
  made.harmed = true;
}

/* CR before LF, or a prefix behind it, in all of it. */
static void rewrite_file(const char *before, const char *behind) {
  static unsigned char copy[ROOM];
  size_t size = made.size;
  if (size > REWRITTEN)
    return;
  memcpy(copy, made.bytes, size);
  made.size = 0;
  made.harmed = true;
  for (size_t i = 0; i < size; i++) {
    bool line = copy[i] == '\n';
    if (line)
      to_made(NULL, before, strlen(before));
    to_made(NULL, &copy[i], 1);
    if (line)
      to_made(NULL, behind, strlen(behind));
  }
}

static void harm(struct input *input) {
  unsigned what = take(input);
  size_t at = made.size ? take_number(input, 2) % made.size : 0;
  if (at == made.size)
    return;
  made.harmed = true;
  if (what % 2) {
    made.bytes[at] ^= (unsigned char)(1 << what / 2 % 8);
  } else {
    made.size--;
    memmove(made.bytes + at, made.bytes + at + 1, made.size - at);
  }
}

static void make(struct input *input) {
  while (more(input)) {
    unsigned what = take(input);
    switch (what % 8) {
    case 0:
    case 1:
    case 2:
      add_frame(input, what & 8);
      break;
    case 3:
      /* Much text: the window of the scanner moves on. */
      for (unsigned i = what & 128 ? 250 : 0; i; i--)
        add_text(what / 8 % 2);
      add_text(what / 8);
      break;
    case 4:
    case 5:
      splice(input);
      break;
    case 6:
      harm(input);
      break;
    case 7:
      rewrite_file(what & 8    ? "\r"
                   : what & 16 ? "\x1B[0m"
                               : "",
                   what & 32   ? "[12:3] app: "
                   : what & 64 ? "\n"
                               : "");
    }
  }
}

/* ---- what comes out ---- */

static void on_text(void *context, const unsigned char *bytes, size_t size) {
  struct heard *heard = context;
  must(size <= ROOM - heard->text_size, "no more text than bytes");
  memcpy(heard->text + heard->text_size, bytes, size);
  heard->text_size += size;
  memcpy(heard->all + heard->size, bytes, size);
  heard->size += size;
}

static void on_frame(void *context, const unsigned char *bytes, size_t size,
                     bool mended) {
  struct heard *heard = context;
  must(size >= 8, "a frame has eight bytes at least");
  uint32_t crc = bareprof_crc32(0, bytes, size - 4);
  for (size_t i = 0; i < 4; i++)
    must(bytes[size - 4 + i] == (crc >> 8 * i & 255), "the check is right");
  must(size + 4 <= sizeof heard->all - ROOM - heard->size,
       "no more frames than bytes");
  heard->frames++;
  heard->frame_bytes += size;
  heard->all[heard->size++] = (unsigned char)size;
  heard->all[heard->size++] = (unsigned char)(size >> 8);
  heard->all[heard->size++] = mended;
  memcpy(heard->all + heard->size, bytes, size);
  heard->size += size;
}

/* The stream in pieces; with pauses now and then. */
static void hear(struct heard *heard, struct input pieces, bool cut,
                 bool pauses) {
  const struct scan_events events = {heard, on_text, on_frame};
  struct frame_scanner *scan = scan_new(&events);
  heard->text_size = heard->size = heard->frames = heard->frame_bytes = 0;
  for (size_t at = 0, size; at < made.size; at += size) {
    unsigned piece = take(&pieces);
    size = cut && piece ? piece % 64 + 1 : made.size;
    if (size > made.size - at)
      size = made.size - at;
    unsigned char *block = malloc(size);
    memcpy(block, made.bytes + at, size);
    scan_feed(scan, block, size);
    free(block);
    for (unsigned i = pauses && piece & 64 ? piece % 16 : 0; i; i--)
      scan_note_idle(scan);
  }
  must(scan_count_damaged_frames(scan) <= made.size / 8,
       "no more damage than bytes");
  scan_end_and_free(scan);
}

static void check_text(const struct heard *heard) {
  size_t at = 0;
  for (size_t i = 0; i < heard->text_size; i++) {
    while (at < made.size && made.bytes[at] != heard->text[i])
      at++;
    must(at++ < made.size, "the text is the stream with some taken out");
  }
  must(made.size - heard->text_size >= heard->frame_bytes,
       "frames are made of what is not text");
  must(heard->frames || heard->text_size == made.size,
       "without a frame all is text");
}

/* Whether remains end in a text, piece by piece, is the same as byte by byte,
 * where nothing is passed over. */
static void check_remains(struct input pieces, const unsigned char *text,
                          size_t size) {
  struct fragment_finder once_fed = {0}, fed = {0};
  for (size_t at = 0, end; at < size; at = end) {
    bool found = false;
    end = at + 1 + (more(&pieces) ? take(&pieces) * 8u : 300);
    end = end < size ? end : size;
    for (size_t i = at; i < end; i++)
      found |= frame_fragments_feed(&fed, text + i, 1);
    must(frame_fragments_feed(&once_fed, text + at, end - at) == found,
         "what is passed over are no remains");
  }
  must(frame_fragments_end(&once_fed) == frame_fragments_end(&fed),
       "nor at the end");
}

/* Words, marks, and characters of base64, which are what frames leave. */
static void check_words(struct input input) {
  static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                               "uvwxyz0123456789+/";
  static const char *const words[] = {" ",  "\n", "~",        "}", "~{",
                                      "ok", "z\1", "\xC3\xBA", ": "};
  enum { WORDS = sizeof words / sizeof *words };
  static unsigned char text[4096];
  const struct input pieces = input;
  size_t size = 0;
  while (more(&input) && size + 100 < sizeof text) {
    unsigned what = take(&input), length = 10 + what % 70;
    if (what % 3) {
      const char *word = words[what % WORDS];
      memcpy(text + size, word, strlen(word));
      size += strlen(word);
      continue;
    }
    for (unsigned i = 0, random = what; i < length; i++) {
      random = random * 1103515245u + 12345;
      text[size++] = (unsigned char)base64[random >> 16 & 63];
    }
  }
  check_remains(pieces, text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  made.size = made.last = made.frames = 0;
  made.harmed = false;
  if (take(&input) & 1) {
    make(&input);
  } else {
    to_made(NULL, input.at, (size_t)(input.end - input.at));
    made.harmed = true;
  }
  const struct input pieces = {data, data + size};
  hear(&once, pieces, false, false);
  check_text(&once);
  must(made.harmed || (once.frames == made.frames), "whole frames come out");
  hear(&again, pieces, true, false);
  must(once.size == again.size && memcmp(once.all, again.all, once.size) == 0,
       "it does not matter how the stream is cut");
  hear(&again, pieces, true, true);
  check_text(&again);
  check_remains(pieces, made.bytes, made.size);
  check_words(pieces);
  return 0;
}
