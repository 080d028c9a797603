/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Makes the readings of a zone of a TEXT candidate. A reading says which lines
 * belong to the frame, and how much of each line. scan_text.c passes the zones.
 */
#include "scan_search.h"
#include "wire.h"

/* The largest number of partial lines that a reading may have. */
enum { MOST_PARTS = 3 };

struct picked_line {
  uint16_t line;
  uint16_t most, size; /* the largest number of characters, and the chosen
                          number */
  bool part;
};

struct zone_builder {
  const struct text_candidate *text;
  size_t first, end; /* the range of lines */
  bool last;         /* the zone contains the end of the frame */
  bool enough;       /* no more readings can be added */
  size_t budget;     /* the number of steps that are left */
  unsigned parts;    /* the number of partial lines that may still be picked */
  struct picked_line picks[SEARCH_SPANS];
  size_t picked;
};

static void add_zone_reading(struct zone_builder *zoner, size_t last) {
  struct zone_reading *reading = search_add_reading(zoner->text->search);
  if (!reading) {
    zoner->enough = true;
    return;
  }
  size_t lines = 0;
  for (size_t i = 0; i < zoner->picked; i++) {
    const struct picked_line *pick = &zoner->picks[i];
    reading->mended |= pick->part;
    lines += pick->line < last;
    size_t at = zoner->text->lines[pick->line].at;
    reading->kept[reading->spans++] =
        (struct byte_span){(uint16_t)at, pick->size};
    if (pick->part)
      reading->likely +=
          search_splice_likelihood(zoner->text->search, at + pick->size);
  }
  reading->mended |= lines != last - zoner->first;
  reading->last = (uint16_t)last;
}

static bool consume_step_budget(struct zone_builder *zoner) {
  if (zoner->enough || zoner->budget == 0)
    return false;
  zoner->budget--;
  return true;
}

/* Returns how many characters the picked lines, starting with index `from`, can
 * lose together. */
static size_t count_shrinkable_bytes(const struct zone_builder *zoner,
                                     size_t from) {
  size_t sum = 0;
  for (; from < zoner->picked; from++)
    if (zoner->picks[from].part)
      sum += zoner->picks[from].most - 1u;
  return sum;
}

/* Removes a total of `less` characters from the picked lines, starting with
 * index `from`, in all possible ways. Adds a reading for each way. */
static void add_shortened_readings(struct zone_builder *zoner, size_t from,
                                   size_t less, size_t last) {
  while (from < zoner->picked && !zoner->picks[from].part)
    from++;
  if (!consume_step_budget(zoner))
    return;
  if (from == zoner->picked) {
    if (less == 0)
      add_zone_reading(zoner, last);
    return;
  }
  struct picked_line *pick = &zoner->picks[from];
  size_t later = count_shrinkable_bytes(zoner, from + 1);
  for (size_t here = less > later ? less - later : 0;
       here <= less && here < pick->most; here++) {
    pick->size = (uint16_t)(pick->most - here);
    add_shortened_readings(zoner, from + 1, less - here, last);
  }
}

/* Adds the readings of the picked lines, which have at most `sum` characters
 * together. */
static void add_readings_of_picks(struct zone_builder *zoner, size_t last,
                                  size_t sum) {
  size_t less = 0, most = count_shrinkable_bytes(zoner, 0);
  if (sum > BAREPROF_TEXT_COLUMNS)
    less = sum - BAREPROF_TEXT_COLUMNS;
  else if (!zoner->last && sum < BAREPROF_TEXT_COLUMNS)
    return;
  do {
    add_shortened_readings(zoner, 0, less, last);
  } while (zoner->last && ++less <= most && !zoner->enough && zoner->budget);
}

/* Picks a line, of which `most` characters belong to the frame. If `part` is
 * true, some of them may not. Returns false if too many lines are picked. */
static bool pick_line(struct zone_builder *zoner, size_t line, size_t most,
                      bool part) {
  if (zoner->picked == SEARCH_SPANS)
    return false;
  zoner->picks[zoner->picked++] = (struct picked_line){
      (uint16_t)line, (uint16_t)most, (uint16_t)most, part};
  zoner->parts -= part;
  return true;
}

/* Undoes the last pick_line. */
static void unpick_line(struct zone_builder *zoner) {
  zoner->parts += zoner->picks[--zoner->picked].part;
}

/* Returns whether a line can be the last line of the frame. An empty line can
 * be the last line if bytes were spliced in right before the line's end. */
static bool can_be_last_line(const struct zone_builder *zoner, size_t i,
                             size_t sum) {
  const struct candidate_line *line = &zoner->text->lines[i];
  if (!line->full || zoner->parts || (zoner->last && i + 1 != zoner->end))
    return false;
  if (line->run || sum == 0)
    return line->run;
  return zoner->last || zoner->picks[zoner->picked - 1].part;
}

/* Picks lines, starting with index i. The lines picked so far have at least
 * `whole` and at most `sum` characters. */
static void try_line_picks(struct zone_builder *zoner, size_t i, size_t sum,
                           size_t whole) {
  for (; i < zoner->end && consume_step_budget(zoner); i++) {
    const struct candidate_line *line = &zoner->text->lines[i];
    if (line->foreign)
      continue;
    size_t run = line->run;
    size_t most = line->full && run ? run - 1 : run;
    bool fits = whole + run <= BAREPROF_TEXT_COLUMNS;
    if (fits && can_be_last_line(zoner, i, sum) &&
        (run == 0 || pick_line(zoner, i, run, false))) {
      add_readings_of_picks(zoner, i, sum + run);
      if (run)
        unpick_line(zoner);
    }
    if (fits && line->full && run && pick_line(zoner, i, run, false)) {
      try_line_picks(zoner, i + 1, sum + run, whole + run);
      unpick_line(zoner);
    }
    if (most > BAREPROF_TEXT_COLUMNS)
      most = BAREPROF_TEXT_COLUMNS;
    if (zoner->parts && most && pick_line(zoner, i, most, true)) {
      try_line_picks(zoner, i + 1, sum + most, whole);
      unpick_line(zoner);
    }
  }
}

/* Returns how many characters of a line come before the bytes that were most
 * likely spliced in. Returns the length of the line if none were. */
static size_t length_before_repeat(const struct zone_builder *zoner, size_t i) {
  const struct candidate_line *line = &zoner->text->lines[i];
  unsigned most = 0;
  size_t place = line->run;
  for (size_t k = 0; k <= line->run; k++) {
    unsigned likely =
        search_splice_likelihood(zoner->text->search, line->at + k);
    if (likely > most) {
      most = likely;
      place = k;
    }
  }
  return place;
}

/* Adds the reading that omits all repeated bytes. This reading may have any
 * number of partial lines. */
static void add_repeatless_reading(struct zone_builder *zoner) {
  size_t sum = 0, parts = 0;
  zoner->picked = 0;
  for (size_t i = zoner->first; i < zoner->end && consume_step_budget(zoner);
       i++) {
    const struct candidate_line *line = &zoner->text->lines[i];
    size_t size = line->foreign ? 0 : length_before_repeat(zoner, i);
    bool whole = line->full && size == line->run && !line->foreign;
    sum += size;
    if (sum > BAREPROF_TEXT_COLUMNS ||
        (size && !pick_line(zoner, i, size, !whole)))
      break;
    parts += size && !whole;
    if (whole &&
        (zoner->last ? i + 1 == zoner->end : sum == BAREPROF_TEXT_COLUMNS)) {
      if (parts)
        add_zone_reading(zoner, i);
      break;
    }
  }
  zoner->picked = 0;
}

bool scan_text_add_zone(struct text_candidate *text, size_t first, size_t end) {
  struct frame_searcher *search = text->search;
  struct zone_builder zoner = {.text = text, .first = first, .end = end};
  size_t bytes = text->lines[end - 1].end - (size_t)text->lines[first].start;
  if (!search_add_zone(search))
    return false;
  text->zone_lines[search->zone_count - 1] = (uint16_t)first;
  zoner.last = end == text->count;
  zoner.budget = 64 + 16 * bytes;
  add_repeatless_reading(&zoner);
  for (unsigned parts = 0; parts <= MOST_PARTS; parts++) {
    zoner.parts = parts;
    size_t from = search->reading_count;
    try_line_picks(&zoner, first, 0, 0);
    search_sort_readings(search, from);
  }
  if (search->zones[search->zone_count - 1].count)
    return true;
  search_drop_zone(search);
  return false;
}
