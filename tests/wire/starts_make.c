/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes logs of two starts: each start counts on, and sends one to three dumps
 * between lines of console output. Then one to eight events of damage. Each
 * byte knows which dump it came from and from where in it, so that afterwards
 * it is known how much of a dump is left.
 */
#include "starts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 4000, CELLS_MOST = 1 << 18, TEXT = -1, MIP_HASH = 12 };

struct cell {
  unsigned char byte;
  signed char dump;
  uint32_t at; /* in the dump */
};

struct line {
  struct cell *cells;
  size_t size;
  int dump;
};

static uint64_t state;
static struct cell cells[CELLS_MOST];
static size_t cell_count;
static struct line lines[LINES_MOST];
static size_t line_count;

/* The dump whose lines are being added, and how far it is. */
static int sending_dump;
static uint32_t sending_at;

static uint32_t pick(uint32_t below) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(state >> 33) % below;
}

/* ---- what the starts count ---- */

/* How the second start is like the first. */
enum likeness { UNLIKE, EQUAL, MORE, OTHER_BITMAP, LESS, LIKENESSES };

static void count_once(unsigned char *counter) {
  uint64_t count;
  memcpy(&count, counter, sizeof count);
  count += 1 + pick(pick(4) ? 3 : 5000);
  memcpy(counter, &count, sizeof count);
}

/* A function's call count and the time of its first call. */
static void call_once(unsigned char *raw, uint32_t when) {
  uint32_t words[2];
  memcpy(words, raw, sizeof words);
  if (words[1] == UINT32_MAX)
    words[1] = when;
  words[0] = words[0] == UINT32_MAX ? 1 : words[0] + 1 + pick(3);
  memcpy(raw, words, sizeof words);
}

/* Samples at some places, each of which has its own program counter. */
static void sample(struct memory *memory, unsigned odds) {
  uint64_t *places = (uint64_t *)(void *)memory->bytes[0];
  uint64_t *totals = (uint64_t *)(void *)memory->bytes[1];
  for (unsigned i = 0; i < SAMPLE_PLACES; i++, places += SAMPLE_WORDS) {
    if (i && pick(100) >= odds)
      continue;
    uint32_t count = 1 + pick(pick(4) ? 3 : 5000);
    places[0] = 0x8000 + 6 * i;
    places[1] = i % 3 ? 0x9001 + 40 * i : 0;
    places[2] += count;
    totals[2] += count;
  }
  if (pick(3) == 0)
    totals[1]++, totals[2]++;
}

/* Lets the program run for a while. */
static void run(const struct log *log, struct memory *memory, unsigned odds) {
  if (log->form == FORM_SAMPLES) {
    sample(memory, odds);
    return;
  }
  unsigned char *counters = memory->bytes[1], *bits = memory->bytes[2];
  bool bytes = log->form == FORM_MIP && !log->counts;
  size_t step = bytes ? 1 : 8;
  for (size_t i = 0; i + step <= memory->sizes[1]; i += step) {
    if (pick(100) >= odds)
      continue;
    if (bytes)
      counters[i] = 0;
    else if (log->form == FORM_MIP)
      call_once(counters + i, 1 + (uint32_t)i);
    else
      count_once(counters + i);
  }
  for (size_t i = 0; log->form != FORM_MIP && i < memory->sizes[2]; i++)
    if (pick(100) < odds)
      bits[i] |= (unsigned char)(1u << pick(8));
}

static void put32(unsigned char *at, uint32_t value) {
  memcpy(at, &value, sizeof value);
}

static void make_image(const struct log *log, struct memory *memory) {
  memset(memory, 0, sizeof *memory);
  if (log->form == FORM_SAMPLES) {
    const uint64_t period = SAMPLE_PERIOD;
    memory->sizes[0] = SAMPLE_PLACES * SAMPLE_WORDS * sizeof(uint64_t);
    memory->sizes[1] = 3 * sizeof(uint64_t);
    memcpy(memory->bytes[1], &period, sizeof period);
    return;
  }
  size_t count = 10 + pick(pick(3) ? 60 : 500);
  if (log->form == FORM_MIP) {
    memory->sizes[0] = 24;
    memory->sizes[1] = log->counts ? 8 * count : count;
    memset(memory->bytes[1], 0xFF, memory->sizes[1]);
    put32(memory->bytes[0], 0x50494DFB);
    put32(memory->bytes[0] + 4, 8 | 1u << 16);
    put32(memory->bytes[0] + 8, log->counts ? 4 | 8 : 1 | 2);
    put32(memory->bytes[0] + 20, 24);
    return;
  }
  memory->sizes[0] = 48 * (1 + count / 8);
  memory->sizes[1] = 8 * count;
  memory->sizes[2] = pick(3) ? 1 + pick(40) : 0;
  memory->sizes[3] = 1 + pick(300);
  for (size_t i = 0; i < memory->sizes[0]; i++)
    memory->bytes[0][i] = (unsigned char)pick(pick(2) ? 256 : 2);
  for (size_t i = 0; i < memory->sizes[3]; i++)
    memory->bytes[3][i] = (unsigned char)pick(256);
}

static void add_moment(struct log *log, unsigned start,
                       const struct memory *memory) {
  struct moment *moment = &log->moments[log->moment_count++];
  moment->start = start;
  moment->memory = *memory;
}

/* A MIP's header names its build, which another one with sections of the same
 * sizes may follow. */
static void rebuild(struct memory *memory) {
  put32(memory->bytes[0] + MIP_HASH, 0xB0B0);
}

/* The second start's moments, made of the first's. */
static void run_again(struct log *log, const struct memory *image) {
  enum likeness like = (enum likeness)pick(LIKENESSES);
  size_t dumps = 1 + pick(3), first = log->moment_count;
  struct memory memory = like == MORE ? log->moments[first - 1].memory : *image;
  bool rebuilt = log->form == FORM_MIP && pick(3) == 0;
  for (size_t i = 0; i < dumps; i++) {
    bool repeat = like == EQUAL || like == OTHER_BITMAP;
    if (repeat && i < first)
      memory = log->moments[i].memory;
    else
      run(log, &memory, like == LESS ? 3 : 15);
    if (like == OTHER_BITMAP) {
      memset(memory.bytes[2], 0, memory.sizes[2]);
      for (size_t k = 0; k < memory.sizes[2]; k++)
        memory.bytes[2][k] = (unsigned char)(k % 5 ? 1u << k % 8 : 0);
    }
    if (rebuilt)
      rebuild(&memory);
    add_moment(log, 1, &memory);
  }
}

static void make_moments(struct log *log) {
  struct memory image, memory;
  make_image(log, &image);
  memory = image;
  for (size_t dumps = 1 + pick(3); dumps; dumps--) {
    run(log, &memory, 30);
    add_moment(log, 0, &memory);
  }
  run_again(log, &image);
}

/* ---- lines ---- */

static void add_line(const unsigned char *bytes, size_t size, int dump) {
  if (line_count == LINES_MOST || size > CELLS_MOST - cell_count)
    abort();
  struct line *line = &lines[line_count++];
  *line = (struct line){cells + cell_count, size, dump};
  for (size_t i = 0; i < size; i++)
    cells[cell_count++] =
        (struct cell){bytes[i], (signed char)dump, sending_at + (uint32_t)i};
  sending_at += (uint32_t)size;
}

static void take(const void *bytes, size_t size) {
  add_line(bytes, size, sending_dump);
}

static size_t make_text(char text[80]) {
  static const char *const formats[] = {"[%u.120] tick\r\n", "boot %u\n",
                                        "adc: %u mV\n",      "\n",
                                        "{\"t\": %u}\n",     "~ %u\n"};
  return (size_t)snprintf(
      text, 80, formats[pick(sizeof formats / sizeof *formats)], pick(100000));
}

static void add_text(unsigned odds) {
  char text[80];
  while (pick(odds) == 0)
    add_line((const unsigned char *)text, make_text(text), TEXT);
}

static void write_log(struct log *log, const struct sending *plan) {
  struct sending how = *plan;
  unsigned numbers[STARTS] = {1 + pick(60000), 0};
  unsigned ordinals[STARTS] = {0, 0};
  numbers[1] = numbers[0] + 1 + pick(5000);
  cell_count = line_count = 0;
  for (size_t i = 0; i < log->moment_count; i++) {
    struct moment *moment = &log->moments[i];
    how.number = log->numbered ? numbers[moment->start] : 0;
    how.ordinal = ordinals[moment->start]++;
    moment->number = how.number;
    moment->ordinal = ordinals[moment->start];
    add_text(2);
    sending_dump = (int)i;
    sending_at = 0;
    starts_send(&moment->memory, &how, take);
    moment->size = sending_at;
    add_text(3);
  }
}

/* ---- damage ---- */

static struct line *make_room(size_t at) {
  if (line_count == LINES_MOST)
    abort();
  memmove(&lines[at + 1], &lines[at], (line_count++ - at) * sizeof *lines);
  return &lines[at];
}

static void remove_line(size_t at) {
  memmove(&lines[at], &lines[at + 1], (--line_count - at) * sizeof *lines);
}

/* Mostly one of a dump. */
static size_t pick_line(void) {
  size_t at = pick((uint32_t)line_count);
  for (unsigned i = 0; i < 3 && lines[at].dump == TEXT; i++)
    at = pick((uint32_t)line_count);
  return at;
}

/* A line's beginning or end is lost; or all that a dump still had to send. */
static void cut(size_t which) {
  struct line *line = &lines[which];
  size_t at = pick((uint32_t)line->size + 1);
  int dump = line->dump;
  if (pick(6) == 0 && dump != TEXT) {
    line->size = at;
    for (size_t i = line_count; --i > which;)
      if (lines[i].dump == dump)
        remove_line(i);
  } else if (pick(2)) {
    line->size = at;
  } else {
    line->cells += at;
    line->size -= at;
  }
}

static void double_line(size_t which) {
  struct line line = lines[which];
  size_t to = which + 1 + pick(3);
  *make_room(to < line_count ? to : line_count) = line;
}

static void swap_lines(size_t which) {
  size_t other = which + 1 + pick(3);
  if (other < line_count) {
    struct line line = lines[which];
    lines[which] = lines[other];
    lines[other] = line;
  }
}

/* Cells of its own for a line: a doubled one shares them. */
static bool own(struct line *line, size_t more) {
  if (line->size + more > CELLS_MOST - cell_count)
    return false;
  memcpy(cells + cell_count, line->cells, line->size * sizeof *cells);
  line->cells = cells + cell_count;
  cell_count += line->size + more;
  return true;
}

static void flip_bit(struct line *line) {
  struct cell *cell = line->cells + pick((uint32_t)line->size);
  cell->byte ^= (unsigned char)(1u << pick(8));
  cell->dump = TEXT;
}

static void lose_bytes(struct line *line) {
  size_t at = pick((uint32_t)line->size), count = 1 + pick(20);
  if (count > line->size - at)
    count = line->size - at;
  memmove(line->cells + at, line->cells + at + count,
          (line->size - at - count) * sizeof *cells);
  line->size -= count;
}

static void splice(struct line *line) {
  char text[80];
  size_t at = pick((uint32_t)line->size), count = make_text(text);
  memmove(line->cells + at + count, line->cells + at,
          (line->size - at) * sizeof *cells);
  for (size_t i = 0; i < count; i++)
    line->cells[at + i] = (struct cell){(unsigned char)text[i], TEXT, 0};
  line->size += count;
}

/* All lines of a dump are lost, come twice, or change places with those of
 * another one. */
static bool moved_any;
static void move_dump(unsigned kind, int dump) {
  static struct line moved[LINES_MOST];
  size_t count = 0, at = line_count;
  for (size_t i = line_count; dump != TEXT && i-- > 0;)
    if (lines[i].dump == dump) {
      moved[count++] = lines[at = i];
      if (kind != 1)
        remove_line(i);
    }
  moved_any |= kind == 2;
  if (kind == 0)
    return;
  size_t to = kind == 1 ? at + count : pick((uint32_t)line_count + 1);
  for (size_t i = 0; i < count && line_count < LINES_MOST; i++)
    *make_room(to < line_count ? to : line_count) = moved[i];
}

static void damage(void) {
  if (!line_count)
    return;
  size_t which = pick_line();
  struct line *line = &lines[which];
  unsigned kind = pick(8);
  if (kind == 0 && line_count > 1)
    remove_line(which);
  else if (kind == 1)
    cut(which);
  else if (kind == 2)
    double_line(which);
  else if (kind == 3)
    swap_lines(which);
  else if (kind == 7)
    move_dump(pick(3), line->dump);
  else if (line->size && own(line, 80))
    (kind == 4 ? flip_bit : kind == 5 ? lose_bytes : splice)(line);
}

/* ---- the log ---- */

/* A mark, which tells that there was a frame: its begin, for TEXT also that of
 * a line, or the end. */
static bool is_mark(bool binary, unsigned char byte) {
  return binary ? byte == 0xFA : byte == '~' || byte == '}';
}

static void measure(struct log *log, bool binary) {
  struct cell last = {0, TEXT, 0};
  size_t run_length = 0;
  bool marked = false;
  for (size_t i = 0; i < line_count; i++)
    for (size_t k = 0; k < lines[i].size; k++) {
      struct cell cell = lines[i].cells[k];
      bool goes_on = cell.dump == last.dump && cell.at == last.at + 1;
      /* In BINARY nothing tells where a frame without its beginning is. */
      bool begins = binary && is_mark(true, cell.byte);
      run_length = goes_on && !begins ? run_length + 1 : 1;
      marked = (goes_on && marked) || is_mark(binary, cell.byte);
      last = cell;
      if (cell.dump != TEXT && marked &&
          run_length > log->moments[cell.dump].left)
        log->moments[cell.dump].left = run_length;
    }
}

/* Where a dump is complete for the first time: in one piece, or put together of
 * several. Its end mark may be lost, and in TEXT an LF behind that, and what
 * it begins with: a frame is searched for. */
struct complete {
  size_t piece, sum, run, count;
};

static bool behind(size_t later, size_t earlier) {
  return later && earlier && later < earlier;
}

static void place(struct log *log, bool binary) {
  enum { MOST = 1 << 14 };
  static bool got[DUMPS_MOST][MOST];
  struct complete all[DUMPS_MOST] = {{0}};
  struct cell last = {0, TEXT, 0};
  size_t at = 1, begin = binary ? 0 : 2;
  memset(got, 0, sizeof got);
  for (size_t i = 0; i < line_count; i++)
    for (size_t k = 0; k < lines[i].size; k++, at++) {
      struct cell cell = lines[i].cells[k];
      bool goes_on = cell.dump == last.dump && cell.at == last.at + 1;
      last = cell;
      if (cell.dump == TEXT || cell.at >= MOST)
        continue;
      struct complete *dump = &all[cell.dump];
      size_t enough = log->moments[cell.dump].size - (binary ? 1 : 2);
      if (!goes_on)
        dump->run = cell.at <= begin ? cell.at : 0;
      dump->run++;
      if (!dump->piece && dump->run == cell.at + 1 && dump->run >= enough)
        dump->piece = at;
      dump->count +=
          begin <= cell.at && cell.at < enough && !got[cell.dump][cell.at];
      got[cell.dump][cell.at] = true;
      if (!dump->sum && dump->count >= enough - begin)
        dump->sum = at;
    }
  for (size_t i = 0; i < log->moment_count; i++)
    for (size_t k = i + 1; k < log->moment_count; k++)
      log->reordered |= behind(all[k].piece, all[i].piece) ||
                        behind(all[k].sum, all[i].sum) ||
                        behind(all[k].sum, all[i].piece);
}

/* ---- what a terminal or a logger makes of all bytes ---- */

enum way { AS_IT_IS, CRLF, UTF16, SEVEN_BITS, XON_XOFF, WRAPPED, PREFIX, ANSI };
enum { WAYS = ANSI + 1, BYTES_MOST = 4 * CELLS_MOST };

static unsigned char rendered[BYTES_MOST];

static void put(struct log *log, const void *bytes, size_t size) {
  if (size > BYTES_MOST - log->size)
    abort();
  memcpy(rendered + log->size, bytes, size);
  log->size += size;
}

static void put_byte(struct log *log, enum way way, unsigned char byte,
                     size_t column) {
  if (way == SEVEN_BITS)
    byte &= 0x7F;
  if (way == CRLF && byte == '\n')
    put(log, "\r", 1);
  if (way == XON_XOFF && pick(50) == 0)
    put(log, pick(2) ? "\x11" : "\x13", 1);
  if (way == WRAPPED && column && column % 60 == 0 && byte != '\n')
    put(log, "\r\n", 2);
  if (way == PREFIX && column == 0)
    put(log, "[00:00:01.234] app: ", 20);
  if (way == ANSI && column == 0)
    put(log, "\x1B[32m", 5);
  if (way == ANSI && byte == '\n')
    put(log, "\x1B[0m", 4);
  put(log, &byte, 1);
  if (way == UTF16)
    put(log, "", 1);
}

static void render(struct log *log, enum way way) {
  size_t column = 0;
  log->bytes = rendered;
  log->size = 0;
  if (way == UTF16)
    put(log, "\xFF\xFE", 2);
  for (size_t i = 0; i < line_count; i++)
    for (size_t k = 0; k < lines[i].size; k++) {
      unsigned char byte = lines[i].cells[k].byte;
      put_byte(log, way, byte, column);
      column = byte == '\n' ? 0 : column + 1;
    }
}

void starts_make(struct log *log, enum form form, bool numbered,
                 uint64_t seed) {
  state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  pick(2);
  memset(log, 0, sizeof *log);
  log->form = form;
  log->numbered = numbered;
  log->counts = form == FORM_MIP && pick(2);
  struct sending how = {.form = form, .binary = pick(4) == 0};
  make_moments(log);
  write_log(log, &how);
  moved_any = false;
  for (unsigned events = 1 + pick(8); events; events--)
    damage();
  log->reordered = moved_any;
  place(log, how.binary);
  measure(log, how.binary);
  /* What such ways do to BINARY is damage as well. */
  render(log, pick(3) ? AS_IT_IS : (enum way)pick(WAYS));
}
