/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: an earlier report. The input chooses a program's functions, and
 * the code that ran then and now. Nothing is lost if the same code ran, also if
 * all code has moved; no more is lost than was covered. Then the earlier report
 * is edited: it is rejected, or compared.
 */
#include <string.h>

#include "coverage/baseline/baseline.h"
#include "input.h"

enum { MOST = 6, TEXT = 1 << 16 };

/* What one report has of a function. */
struct made {
  unsigned name, file, line, lines, branches, conditions;
  unsigned ran; /* a bit for each count */
};

static struct made list[MOST];
static size_t count;

static void take_program(struct input *input) {
  count = take(input) % (MOST + 1);
  for (size_t i = 0; i < count; i++)
    list[i] = (struct made){.name = take(input) % 5,
                            .file = take(input) % 2,
                            .line = 1 + 20 * (unsigned)i,
                            .lines = 2 + take(input) % 10,
                            .branches = take(input) % 4,
                            .conditions = take(input) % 3,
                            .ran = (unsigned)take_number(input, 2)};
}

static unsigned bit(const struct made *one, unsigned number) {
  return one->ran >> number & 1;
}

/* ---- as an export ---- */

static void put_files(FILE *out, unsigned file, unsigned moved) {
  fprintf(out, "{\"filename\":\"/%s/f%u.c\",\"segments\":[",
          moved ? "now" : "then", file);
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const struct made *one = &list[i];
    if (one->file != file)
      continue;
    fprintf(out,
            "%s[%u,1,%u,true,true,false],[%u,3,%u,true,true,false],"
            "[%u,2,0,false,false,false]",
            any ? "," : "", one->line + moved, bit(one, 0),
            one->line + 1 + moved, bit(one, 1), one->line + one->lines + moved);
    any = true;
  }
  fputs("],\"summary\":{\"lines\":{\"count\":3,\"covered\":1}}}", out);
}

static void put_function(FILE *out, const struct made *one, unsigned moved) {
  static const char *const names[] = {"main", "f", "f0.c:s", "f1.c:s", "_Z1gv"};
  unsigned line = one->line + moved, number = 2;
  fprintf(out,
          "{\"name\":\"%s\",\"count\":%u,\"filenames\":[\"/%s/f%u.c\"],"
          "\"regions\":[[%u,1,%u,2,%u,0,0,0]],\"branches\":[",
          names[one->name], bit(one, 0), moved ? "now" : "then", one->file,
          line, line + one->lines, bit(one, 0));
  for (unsigned i = 0; i < one->branches; i++, number += 2)
    fprintf(out, "%s[%u,%u,%u,9,%u,%u,0,0,4]", i ? "," : "", line + 1, 3 + i,
            line + 1, bit(one, number), bit(one, number + 1));
  fputs("],\"mcdc_records\":[", out);
  if (one->conditions)
    fprintf(out, "[%u,4,%u,9,0,0,0,0,5,[", line + 1, line + 1);
  for (unsigned i = 0; i < one->conditions; i++, number++)
    fprintf(out, "%s%s", i ? "," : "", bit(one, number) ? "true" : "false");
  fputs(one->conditions ? "]]]}" : "]}", out);
}

static struct bytes export_of(char **text, unsigned moved) {
  size_t size = 0;
  FILE *out = open_memstream(text, &size);
  fputs("{\"data\":[{\"files\":[", out);
  put_files(out, 0, moved);
  fputc(',', out);
  put_files(out, 1, moved);
  fputs("],\"functions\":[", out);
  for (size_t i = 0; i < count; i++) {
    fputs(i ? "," : "", out);
    put_function(out, &list[i], moved);
  }
  fputs("]}]}", out);
  fclose(out);
  return (struct bytes){(const unsigned char *)*text, size};
}

/* ---- comparing ---- */

static void check_lost(const struct baseline *against) {
  uint64_t all = 0;
  for (unsigned i = 0; i < METRICS; i++)
    all += against->counts[i];
  must(all == against->lost_count, "what is lost is counted");
  for (size_t i = 0; i < against->lost_count; i++)
    must(against->lost[i].file && against->lost[i].name &&
             against->lost[i].metric < METRICS,
         "what is lost has a place");
}

/* How much is lost; -1: the earlier report was refused. */
static long compare(struct bytes then, struct bytes now) {
  struct baseline against = {.file.name = "then"};
  static struct coverage coverage;
  long lost = -1;
  must(!model_parse(&coverage.exported, now), "this report is read");
  if (!baseline_parse(&against, then)) {
    baseline_compare(&against, &coverage);
    check_lost(&against);
    lost = (long)against.lost_count;
  }
  baseline_free(&against);
  model_free(&coverage.exported);
  return lost;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  char *then, *same, *moved, *now;
  take_program(&input);
  struct bytes first = export_of(&then, 0);
  must(compare(first, export_of(&same, 0)) == 0, "the same is no loss");
  must(compare(first, export_of(&moved, 7)) == 0, "what has moved is no loss");
  for (size_t i = 0; i < count; i++)
    list[i].ran = (unsigned)take_number(&input, 2);
  struct bytes last = export_of(&now, 3);
  must(compare(first, last) >= 0, "what ran now is compared");
  unsigned char *block = malloc(first.size);
  memcpy(block, first.data, first.size);
  size_t left = first.size;
  for (unsigned edits = take(&input) % 4; edits-- && left;) {
    size_t at = take_number(&input, 2) % left;
    block[at] = (unsigned char)take(&input);
    left = take(&input) % 4 ? left : at;
  }
  unsigned char *edited = malloc(left + !left);
  memcpy(edited, block, left);
  compare((struct bytes){edited, left}, last);
  free(edited);
  free(block);
  free(then);
  free(same);
  free(moved);
  free(now);
  return 0;
}
