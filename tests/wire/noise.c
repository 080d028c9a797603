/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The scanner on streams without frames, or with one among much that looks
 * like it: all text comes through untouched, in a time that grows with the
 * bytes and not with their square. And how long text is held back.
 *
 *   noise [SECONDS]
 * so long may a megabyte take.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hear.h"

static double seconds = 5;
static struct heard heard;
static struct bytes wire, frames;

/* ---- hostile streams ---- */

/* Repeated without end. */
static const struct noise {
  const char *label, *part;
  size_t every; /* so many bytes one LF or end mark more, 0: none */
  char more;
} noises[] = {
    {"begin marks of TEXT", "~{", 0, 0},
    {"begin marks of BINARY", "\xFA", 0, 0},
    {"both begin marks", "~{\xFA", 0, 0},
    {"end marks of TEXT", "}", 0, 0},
    {"marks of empty TEXT", "~{}", 0, 0},
    {"marks of empty BINARY", "\xFA\xFB", 0, 0},
    {"begin marks of TEXT, broken", "~\n{", 0, 0},
    {"begin marks of TEXT in BINARY", "~{", 16000, '\xFA'},
    {"a begin and many ends", "AAAAAAAAAAAAAAA}", 16000, '~'},
    {"marks of lines", "~", 0, 0},
    {"colours", "\x1B[", 0, 0},
    {"many short lines", "~{a\na\nab\nabc\na\nb\nc\nd\ne\nf\ng\nhhhhh}", 0, 0},
    {"lines of 72 and others",
     "~{A\nbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\ncccccccccccccccccccccccccccccccccc"
     "\nddddddddddddddddddddddddd\neeeeeeeeeeeeeeeee\nfffff\ng\n~hhhhhhhhhhh}",
     0, 0},
    {"lines in BINARY", "a\n", 16000, '\xFB'},
    {"lines in short BINARY",
     "\xFA"
     "abcdefgh\x01ijkl\nmnopqrs\x01tuv\nwx\x01yz\n\xFB",
     0, 0},
};

/* A megabyte of one; how long it takes. */
static bool make_noise(const struct noise *noise, double *took) {
  enum { MEGABYTE = 1 << 20 };
  clock_t start = clock();
  size_t part = strlen(noise->part), text = 0;
  struct frame_scanner *scan = hear_begin(&heard);
  wire.size = 0;
  for (size_t i = 0; wire.size < ROOM - 8192; i += part) {
    put(&wire, noise->part, part);
    if (noise->every && i % noise->every < part) {
      put(&wire, &noise->more, 1);
      put_string(&wire, noise->more == '\xFB' ? "\xFA" : "{");
    }
  }
  for (size_t sent = 0; sent < MEGABYTE; sent += wire.size) {
    scan_feed(scan, wire.at, wire.size);
    text += heard.text.size;
    heard.text.size = 0;
  }
  /* What is not yet out is at most a candidate and a line. */
  bool bounded = text + 16384 + 512 >= wire.size * (MEGABYTE / wire.size);
  heard.text.size = 0;
  hear_end(scan, &heard);
  hear(&heard, &wire, 1000);
  *took = (double)(clock() - start) / CLOCKS_PER_SEC;
  return bounded && heard.count == 0 && same(&heard.text, &wire);
}

static void check_noise(void) {
  for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
    double took;
    bool fine = make_noise(&noises[i], &took);
    if (took > seconds)
      printf("# %.1f s\n", took);
    report(fine && took <= seconds, noises[i].label);
  }
}

/* Bytes that are mostly marks and ends, with a frame behind them. */
static void check_soup(void) {
  static const char marks[] = "~{}\n\r\xFA\xFB\xFC\x1B[mAz ";
  static struct bytes encoded;
  bool all = true;
  for (unsigned i = 1; i <= 300 && all; i++) {
    seed(i);
    wire.size = frames.size = encoded.size = 0;
    for (unsigned k = pick(6000); k; k--)
      put(&wire, &marks[pick(sizeof marks - 1)], 1);
    size_t text = wire.size;
    make_frame(&encoded, &frames, i % 2, pick(260));
    put(&wire, encoded.at, encoded.size);
    hear(&heard, &wire, 10);
    wire.size = text;
    all = same(&heard.frames, &frames) && same(&heard.text, &wire);
  }
  report(all, "a frame behind a soup of marks");
}

/* A dump of 65,535 bits is one frame. */
static void check_large(bool binary) {
  static struct bytes encoded;
  seed(5);
  wire.size = frames.size = encoded.size = 0;
  make_frame(&encoded, &frames, binary, 8204);
  hear(&heard, &encoded, 1000);
  report(same(&heard.frames, &frames) && heard.text.size == 0,
         binary ? "a large frame in BINARY" : "a large frame in TEXT");
}

/* ---- what is held back ---- */

static void feed(struct frame_scanner *scan, const char *string) {
  scan_feed(scan, (const unsigned char *)string, strlen(string));
}

static bool is_text(const char *string) {
  return heard.text.size == strlen(string) &&
         memcmp(heard.text.at, string, heard.text.size) == 0;
}

static void check_prompt(void) {
  static struct bytes encoded;
  bool held, given;
  seed(1);
  frames.size = encoded.size = 0;
  make_frame(&encoded, &frames, false, 200);
  struct frame_scanner *scan = hear_begin(&heard);
  feed(scan, "user@host:~$ ");
  report(is_text("user@host:~$ ") ||
             (scan_note_idle(scan), is_text("user@host:~$ ")),
         "a prompt is given out");
  /* Now a line may be a prefix. */
  scan_feed(scan, encoded.at, encoded.size);
  heard.text.size = 0;
  feed(scan, "> ");
  scan_note_idle(scan);
  report(heard.count == 1 && is_text("> "), "a prompt behind a frame, too");
  feed(scan, "~/x {y");
  scan_note_idle(scan);
  report(is_text("> ~/x {y"), "and text with the marks in it");
  heard.text.size = 2;
  feed(scan, "~");
  scan_note_idle(scan);
  held = is_text("> ");
  feed(scan, "{not a frame");
  for (unsigned i = 0; i < 9; i++)
    scan_note_idle(scan);
  held = held && is_text("> ");
  scan_note_idle(scan);
  given = is_text("> ~{not a frame");
  report(held && given, "what may be a frame is given out in the end");
  hear_end(scan, &heard);
}

/* A prefix that only frames of one line had. */
static void check_prefix(void) {
  static struct bytes encoded;
  seed(4);
  wire.size = frames.size = 0;
  for (unsigned i = 0; i < 4; i++) {
    encoded.size = 0;
    make_frame(&encoded, &frames, false, 20);
    if (i == 3)
      put_string(&wire, "log\n");
    put_string(&wire, "\x1B[32m[1] a: ");
    put(&wire, encoded.at, encoded.size - 1);
    put_string(&wire, "\x1B[0m\n");
  }
  hear(&heard, &wire, 5);
  report(heard.count == 4 && is_text("\x1B[32m[1] a: \x1B[0mlog\n"
                                     "\x1B[32m[1] a: \x1B[0m"),
         "a prefix in front of one line");
}

/* Lines of a frame behind prefixes; the first line has text before it. */
static void check_behind(const char *text, const char *prefix,
                         const char *label) {
  static struct bytes encoded;
  seed(6);
  wire.size = frames.size = encoded.size = 0;
  make_frame(&encoded, &frames, false, 200);
  put_string(&wire, text);
  for (size_t i = 0; i < encoded.size; i++) {
    if (i && encoded.at[i] == '~')
      put_string(&wire, prefix);
    put(&wire, &encoded.at[i], 1);
  }
  hear(&heard, &wire, 5);
  report(same(&heard.frames, &frames) && is_text(text), label);
}

static void check_pause(bool binary) {
  static struct bytes encoded;
  seed(2);
  frames.size = encoded.size = 0;
  make_frame(&encoded, &frames, binary, 200);
  struct frame_scanner *scan = hear_begin(&heard);
  for (size_t i = 0; i < encoded.size; i++) {
    for (unsigned k = 0; k < 9; k++)
      scan_note_idle(scan);
    scan_feed(scan, encoded.at + i, 1);
  }
  report(same(&heard.frames, &frames) && heard.text.size == 0,
         binary ? "pauses within BINARY" : "pauses within TEXT");
  hear_end(scan, &heard);
}

static void check_damaged(void) {
  static struct bytes encoded;
  seed(3);
  wire.size = frames.size = 0;
  for (unsigned i = 0; i < 8; i++) {
    encoded.size = 0;
    make_frame(&encoded, &frames, i & 1, 100);
    if (i & 2)
      encoded.at[i & 4 ? 20 : 40] ^= 1;
    put(&wire, encoded.at, encoded.size);
  }
  put_string(&wire, "{} ~{} \xFA\xFB ~{no}\n\xFA");
  hear(&heard, &wire, 50);
  report(heard.count == 4 && heard.damaged == 4, "damaged frames are counted");
}

int main(int count, char **arguments) {
  if (count > 1)
    seconds = strtod(arguments[1], NULL);
  check_noise();
  check_soup();
  check_large(false);
  check_large(true);
  check_prompt();
  check_prefix();
  check_behind("[1] a: Test 3... ", "[2] a: ",
               "a frame behind an unfinished line");
  check_behind("uart:~$ \x1B[8D\x1B[J", "uart:~$ \x1B[8D\x1B[J",
               "a frame behind a shell's prompts");
  check_pause(false);
  check_pause(true);
  check_damaged();
}
