/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Damaged logs of two starts, read as `bareprof receive` and as `bareprof
 * report` do. What may never happen: a profile is accepted that neither start
 * had (right is what one start had at one moment, and, of a report, a sum of
 * such, each of another start); code that a start covered is missing, the exit
 * status is 0, and no message says that frames are damaged. A dump of which no
 * LEFT_LEAST bytes in a row are left on the wire, with a mark of a frame, is
 * not asked for, as nobody can miss it. Without numbers a dump behind a later
 * one looks like another start (swapped or repeated lines): such sums are
 * counted apart, as are those that no report is made of.
 *
 *   starts [LOGS [SEED]]     LOGS of each kind
 *   starts show FORM NUMBERED SEED     writes that log to standard output
 */
#include "starts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coverage/inputs/inputs.h"
#include "starts_host.h"

enum { ACCEPTED_MOST = 64 };

static struct log made;

/* What a reader has accepted of a log. */
static struct {
  unsigned owners[ACCEPTED_MOST]; /* a bit for each start that had it */
  size_t count;
  bool got[DUMPS_MOST];  /* by the moments; or it was told that a later one has
                            its counts */
  bool wrong, lossy; /* exit 0, but code is missing */
  struct memory covered;
} accepted;

static struct {
  unsigned long logs, profiles, wrong, missing, good, needless, reordered;
  unsigned long shorts;
} sums[2];

/* ---- one profile ---- */

static bool piece_is(const struct snapshot *snapshot, unsigned piece,
                     const struct memory *memory) {
  const struct snapshot_piece *part = &snapshot->parts[piece];
  size_t size = (size_t)snapshot->header.pieces[piece].size;
  return !part->bytes || (size == memory->sizes[piece] &&
                          !memcmp(part->bytes, memory->bytes[piece], size));
}

static bool is_moment(const struct snapshot *snapshot,
                      const struct memory *memory) {
  for (unsigned i = 0; i < IMAGE_PIECES; i++)
    if (!piece_is(snapshot, i, memory))
      return false;
  return true;
}

/* The piece whose elements say what ran, and their size. */
static unsigned counted(void) { return made.form == FORM_SAMPLES ? 0 : 1; }

static size_t counted_size(void) {
  if (made.form == FORM_SAMPLES)
    return SAMPLE_WORDS * sizeof(uint64_t);
  return made.form == FORM_MIP && !made.counts ? 1 : 8;
}

/* Each counter that says that code ran becomes 1 in to. */
static void cover(struct memory *to, const unsigned char *counters,
                  const unsigned char *bits) {
  const struct memory *image = &made.moments[0].memory;
  unsigned char never = made.form == FORM_MIP ? 0xFF : 0;
  size_t step = counted_size();
  for (size_t i = 0; i < image->sizes[counted()]; i++)
    to->bytes[1][i / step] |= counters[i] != never;
  for (size_t i = 0; bits && i < image->sizes[2]; i++)
    to->bytes[2][i] |= bits[i];
}

/* Those that the dump may be, as far as one knows. */
static void get(const struct snapshot *snapshot, bool told) {
  for (size_t i = 0; i < made.moment_count; i++) {
    const struct moment *moment = &made.moments[i];
    /* Of several dumps of one moment it may be all. */
    accepted.got[i] |= (moment->ordinal == snapshot->header.ordinal ||
                        snapshot->dumps > 1) &&
                       moment->number == snapshot->header.boot &&
                       (told || is_moment(snapshot, &moment->memory));
  }
}

static void tell(const struct snapshot *snapshot) { get(snapshot, true); }

static void accept(const struct snapshot *snapshot) {
  unsigned owners = 0;
  get(snapshot, false);
  for (size_t i = 0; i < made.moment_count; i++)
    if (is_moment(snapshot, &made.moments[i].memory))
      owners |= 1u << made.moments[i].start;
  accepted.wrong |= !owners;
  if (accepted.count < ACCEPTED_MOST)
    accepted.owners[accepted.count++] = owners;
  if (snapshot->header.pieces[counted()].size ==
      made.moments[0].memory.sizes[counted()])
    cover(&accepted.covered, snapshot->parts[counted()].bytes,
          snapshot->parts[2].bytes);
}

/* ---- all of a log ---- */

/* Whether what adds up is of one start each. */
static bool sum_is_right(void) {
  if (accepted.wrong || accepted.count > STARTS)
    return false;
  return accepted.count < 2 ||
         (accepted.owners[0] | accepted.owners[1]) == (1 << STARTS) - 1;
}

/* Whether what the last dump that is left of each start covers is there. */
static bool all_covered(void) {
  static struct memory wanted;
  const struct moment *last[STARTS] = {NULL, NULL};
  memset(&wanted, 0, sizeof wanted);
  for (size_t i = 0; i < made.moment_count; i++)
    if (made.moments[i].left >= LEFT_LEAST)
      last[made.moments[i].start] = &made.moments[i];
  for (unsigned i = 0; i < STARTS; i++)
    if (last[i])
      cover(&wanted, last[i]->memory.bytes[counted()],
            last[i]->memory.bytes[2]);
  for (unsigned piece = 1; piece <= 2; piece++)
    for (size_t i = 0; i < PIECE_ROOM; i++)
      if (wanted.bytes[piece][i] & ~accepted.covered.bytes[piece][i])
        return false;
  return true;
}

/* Whether a dump is missing, though a later one of its start is there. Without
 * numbers nobody can tell that of a start's first ones: the later may be of the
 * start before; nor of dumps in another order. MIP has no ordinals; samples may
 * lie in memory that nothing clears, so that their first ordinal is any. */
static bool falls_short(void) {
  bool later[STARTS] = {false}, begun = false;
  for (size_t i = made.moment_count; i-- > 0;) {
    const struct moment *moment = &made.moments[i];
    if (!accepted.got[i] && later[moment->start]) {
      begun = made.numbered && made.form != FORM_SAMPLES;
      for (size_t k = i; k-- > 0;)
        begun |= accepted.got[k] && !made.reordered &&
                 made.moments[k].start == moment->start;
      if (begun)
        return made.form != FORM_MIP;
    }
    later[moment->start] |= accepted.got[i];
  }
  return false;
}

enum reader { RECEIVE, REPORT };
static const char *const readers[] = {"receive", "report"};
static const char *const forms[] = {"full", "lean", "MIP", "samples"};

static void complain(enum reader reader, uint64_t seed, const char *what) {
  if (!getenv("SHOW"))
    return;
  fprintf(stderr, "# show %d %d %llu: %s: %s; owners", (int)made.form,
          made.numbered, (unsigned long long)seed, readers[reader], what);
  for (size_t i = 0; i < accepted.count; i++)
    fprintf(stderr, " %u", accepted.owners[i]);
  fputc('\n', stderr);
}

static void judge(enum reader reader, uint64_t seed, bool good) {
  bool wrong = accepted.wrong ||
               (reader == REPORT &&
                (made.numbered || (good && !made.reordered)) &&
                !sum_is_right());
  bool covered = all_covered();
  sums[reader].logs++;
  sums[reader].reordered += made.reordered;
  sums[reader].profiles += accepted.count;
  sums[reader].wrong += accepted.count && wrong;
  sums[reader].missing += good && !covered;
  bool lacks = good && reader == RECEIVE && falls_short();
  sums[reader].shorts += lacks;
  if (lacks)
    complain(reader, seed, "a dump is missing, and nothing says so");
  sums[reader].good += good;
  sums[reader].needless += !good && !wrong && covered;
  if (accepted.count && wrong)
    complain(reader, seed, "neither start had it");
  if (good && !covered)
    complain(reader, seed, "covered code is missing");
}

static void read_as(enum reader reader, uint64_t seed) {
  struct bytes log = {made.bytes, made.size};
  memset(&accepted, 0, sizeof accepted);
  bool good = reader == RECEIVE ? host_receive(log, accept, tell)
                                : host_report(log, accept);
  judge(reader, seed, good);
}

/* ---- all logs ---- */

static void verdict(const char *name, const char *what, unsigned long bad,
                    unsigned long of) {
  if (bad)
    printf("not ok wire starts: %s: %s: %lu of %lu logs\n", name, what, bad,
           of);
  else
    printf("ok wire starts: %s: %s\n", name, what);
}

static void run_kind(enum form form, bool numbered, unsigned long logs,
                     uint64_t seed) {
  unsigned last = form == FORM_FULL || form == FORM_LEAN ? REPORT : RECEIVE;
  memset(sums, 0, sizeof sums);
  for (unsigned long i = 0; i < logs; i++) {
    starts_make(&made, form, numbered, seed + i);
    for (unsigned reader = RECEIVE; reader <= last; reader++)
      read_as((enum reader)reader, seed + i);
  }
  for (unsigned i = RECEIVE; i <= last; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s, %s%s", readers[i], forms[form],
             numbered ? ", numbered" : "");
    printf("# %s: %lu logs, %lu profiles accepted; %lu logs with one that "
           "neither start had, %lu with code missing and status 0; status 0 "
           "of %lu, status 1 with nothing missing of %lu; dumps in another "
           "order in %lu\n",
           name, sums[i].logs, sums[i].profiles, sums[i].wrong, sums[i].missing,
           sums[i].good, sums[i].needless, sums[i].reordered);
    verdict(name, "no start is mixed with another", sums[i].wrong,
            sums[i].logs);
    verdict(name, "no covered code is missing unsaid", sums[i].missing,
            sums[i].logs);
    verdict(name, "no dump is missing unsaid", sums[i].shorts, sums[i].logs);
    verdict(name, "most profiles are accepted",
            sums[i].profiles * 2 < sums[i].logs, sums[i].logs);
  }
}

int main(int argc, char **argv) {
  if (argc == 5 && strcmp(argv[1], "show") == 0) {
    starts_make(&made, (enum form)atoi(argv[2]), atoi(argv[3]),
                strtoull(argv[4], NULL, 0));
    fwrite(made.bytes, 1, made.size, stdout);
    for (size_t i = 0; i < made.moment_count; i++)
      fprintf(stderr, "dump %zu, start %u: %zu left\n", i,
              made.moments[i].start, made.moments[i].left);
    return 0;
  }
  unsigned long logs = argc > 1 ? strtoul(argv[1], NULL, 0) : 300;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  for (unsigned form = 0; form < FORMS; form++)
    for (unsigned numbered = 0; numbered < 2; numbered++)
      run_kind((enum form)form, numbered, logs, seed);
  return 0;
}
