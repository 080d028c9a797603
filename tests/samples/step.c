/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a program of x86-64 Linux an instruction at a time, and writes the
 * branches that a processor would record, as `perf script` prints them; and the
 * true counts: how often each instruction ran in which calls.
 *
 *     step LISTING EVERY BRANCHES OUT TRUTH FOLDER/PROGRAM [WORD...]
 *
 * LISTING: `ADDRESS KIND FUNCTION` of each instruction, hexadecimal, ascending,
 * as llvm-objdump has them; KIND is c of a call, r of a return, j of another
 * jump that is always taken, else -; FUNCTION a number. Each EVERYth
 * instruction is a sample. OUT gets its place and BRANCHES branches on a line;
 * OUT.stacks the same with stacks. TRUTH: `COUNT PLACE CALL...`, the innermost
 * call first, tail calls too, as the file has addresses; - for none. Exit 77:
 * nobody may trace here.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 1 << 20, DEPTH = 4096, RING = 64, WAYS = 1 << 20 };

static struct {
  uint64_t address;
  unsigned function;
  char kind;
} list[MOST];
static size_t listed;

static struct { uint64_t from, to; } ring[RING];
static unsigned taken, branches;

static size_t stack[DEPTH]; /* numbers of calls, and of jumps to functions */
static size_t depth;
static uint64_t base; /* where it is loaded, less where it was linked */

/* What ran, by place and by the way there. */
static struct way {
  uint32_t outer, call; /* 0: the first */
  uint64_t *ran;        /* of each instruction; NULL: nothing */
  struct way *next;
} ways[WAYS], *chains[MOST];
static uint32_t way_count = 1, way_now[DEPTH];
static bool counts_ways;

static void fail(const char *what) {
  perror(what);
  exit(errno == EPERM || errno == ENOSYS || errno == EIO ? 77 : 1);
}

static size_t number_of(uint64_t address) {
  size_t low = 0, high = listed;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (list[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && list[low - 1].address == address ? low - 1 : MOST;
}

static uint32_t way_of(uint32_t outer, size_t call) {
  struct way **chain = &chains[(outer * 31 + call) % MOST];
  for (struct way *way = *chain; way; way = way->next)
    if (way->outer == outer && way->call == call)
      return (uint32_t)(way - ways);
  if (way_count == WAYS)
    exit(1);
  ways[way_count] = (struct way){outer, (uint32_t)call, NULL, *chain};
  *chain = &ways[way_count];
  return way_count++;
}

static void count(size_t place) {
  struct way *way = &ways[way_now[depth]];
  if (!way->ran && !(way->ran = calloc(listed, sizeof *way->ran)))
    exit(1);
  way->ran[place]++;
}

/* ---- what is written ---- */

static void put_branches(FILE *out) {
  for (unsigned i = 0; i < branches && i < taken; i++) {
    unsigned at = (taken - 1 - i) % RING;
    fprintf(out, " 0x%" PRIx64 "/0x%" PRIx64 "/P/-/-/0 ", ring[at].from + base,
            ring[at].to + base);
  }
  fputc('\n', out);
}

static void sample(FILE *out, FILE *stacks, size_t place) {
  if (!taken)
    return;
  fprintf(out, "%16" PRIx64 " ", list[place].address + base);
  put_branches(out);
  fprintf(stacks, "\t%16" PRIx64 "\n", list[place].address + base);
  for (size_t i = depth; i-- > 0;)
    if (list[stack[i]].kind == 'c')
      fprintf(stacks, "\t%16" PRIx64 "\n", list[stack[i] + 1].address + base);
  put_branches(stacks);
  fputc('\n', stacks);
}

static void put_truth(FILE *out) {
  for (uint32_t i = 0; i < way_count; i++)
    for (size_t place = 0; ways[i].ran && place < listed; place++) {
      if (!ways[i].ran[place])
        continue;
      fprintf(out, "%" PRIu64 " %" PRIx64, ways[i].ran[place],
              list[place].address);
      for (uint32_t at = i; at; at = ways[at].outer)
        fprintf(out, " %" PRIx64, list[ways[at].call].address);
      fputc('\n', out);
    }
}

/* ---- one step ---- */

static void enter(size_t from) {
  if (depth + 1 == DEPTH)
    exit(1);
  way_now[depth + 1] = counts_ways ? way_of(way_now[depth], from) : 0;
  stack[depth++] = from;
}

/* A return is from all that was jumped to since the call, too. */
static void step(size_t last, size_t place) {
  const char kind = list[last].kind;
  if (kind == 'r')
    while (depth && list[stack[--depth]].kind != 'c')
      ;
  else if (kind == 'c' ||
           (list[place].function != list[last].function &&
            (!place || list[place - 1].function != list[place].function)))
    enter(last);
  if (place == last + 1 && list[last].kind == '-')
    return;
  ring[taken % RING].from = list[last].address;
  ring[taken++ % RING].to = list[place].address;
}

static void trace(pid_t child, long every, FILE *out, FILE *stacks) {
  size_t last = MOST;
  long left = every;
  for (;;) {
    struct user_regs_struct registers;
    int status;
    if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
      fail("PTRACE_GETREGS");
    size_t place = number_of(registers.rip - base);
    if (place != MOST && last != MOST)
      step(last, place);
    if (place != MOST && counts_ways)
      count(place);
    if (place != MOST && --left <= 0) {
      sample(out, stacks, place);
      left = every;
    }
    /* Other code is unknown: the code before it does not lead here. */
    taken = place == MOST ? 0 : taken;
    last = place;
    if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
      fail("PTRACE_SINGLESTEP");
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
      break;
  }
}

/* ---- the program ---- */

static void read_list(const char *name) {
  FILE *in = fopen(name, "r");
  while (in && listed < MOST &&
         fscanf(in, "%" SCNx64 " %c %u", &list[listed].address,
                &list[listed].kind, &list[listed].function) == 3)
    listed++;
  if (!in || fclose(in) || !listed || listed == MOST)
    exit(1);
}

/* Where the code is, which another address than it was linked to may be. */
static void find_base(pid_t child, const char *program, FILE *out,
                      FILE *stacks) {
  static const char form[] =
      "work %d 1.0: PERF_RECORD_MMAP2 %d/%d: [0x%" PRIx64 "(0x%" PRIx64
      ") @ 0x%" PRIx64 " 08:04 19532229 3585508847]: %s %s\n";
  char name[64], line[512], how[8];
  uint64_t begin, end, offset;
  int number = (int)child;
  snprintf(name, sizeof name, "/proc/%d/maps", number);
  FILE *maps = fopen(name, "r");
  while (maps && fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &begin, &end, how,
               &offset) != 4 ||
        how[2] != 'x' || !strstr(line, strrchr(program, '/')))
      continue;
    base = begin - (list[0].address & ~(uint64_t)0xFFF);
    fprintf(out, form, number, number, number, begin, end - begin, offset, how,
            program);
    fprintf(stacks, form, number, number, number, begin, end - begin, offset,
            how, program);
    break;
  }
  if (maps)
    fclose(maps);
}

int main(int argc, char **argv) {
  char name[4096];
  int status;
  if (argc < 7)
    return 2;
  counts_ways = strcmp(argv[5], "-") != 0;
  read_list(argv[1]);
  branches = (unsigned)atoi(argv[3]);
  FILE *out = fopen(argv[4], "w");
  FILE *truth = fopen(counts_ways ? argv[5] : "/dev/null", "w");
  snprintf(name, sizeof name, "%s.stacks", argv[4]);
  FILE *stacks = fopen(name, "w");
  if (!out || !truth || !stacks || branches > RING)
    return 1;
  pid_t child = fork();
  if (child < 0)
    fail("fork");
  if (!child) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
      _exit(77);
    execv(argv[6], argv + 6);
    _exit(1);
  }
  if (waitpid(child, &status, 0) != child || WIFEXITED(status))
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  find_base(child, argv[6], out, stacks);
  trace(child, atol(argv[2]), out, stacks);
  put_truth(truth);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return fclose(out) || fclose(truth) || fclose(stacks) ? 1 : 0;
}
