/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Sleds into the nops of a linked ELF, and out of it again.
 *
 * A function's sled depends on the place of its raw bytes, so the steps are:
 * patch_open (undoes an earlier patch), patch_find (finds the functions),
 * patch_plan (chooses functions with enough nops, and assigns raw bytes),
 * patch_write (writes sleds, map and the undo data to patch.file).
 */
#ifndef MIP_PATCH_H
#define MIP_PATCH_H

#include <stdio.h>

#include "../../base/storage.h"
#include "../../object/elf.h"

/* ---- isa.c ----
 *
 * The instruction sets of `bareprof mip patch`: the nops that compilers leave
 * at an entry for -fpatchable-function-entry, and the sleds that may replace
 * them. Only Arm's ip, AArch64's x16 and RISC-V's t0 and t1 are free there.
 *
 * A sled either stores 0 to the function's raw byte, or calls a helper with the
 * function's index behind the call. If the compiler's nops are Thumb, the sled
 * is Thumb. All code is little-endian.
 */

enum { PATCH_SLED_MOST = 16, PATCH_INDEX_MOST = 0xFFFF };

struct patch_place {
  const unsigned char *nops; /* what is there now */
  uint64_t address;          /* of the sled */
  uint64_t raw;              /* of the byte that a store writes */
  uint64_t helper;           /* of the called helper; on Arm, bit 0: Thumb */
  uint32_t index;            /* for the helper, up to PATCH_INDEX_MOST */
};

struct patch_isa {
  uint16_t fill; /* the smallest nop, of fill_size bytes, to fill the rest */
  uint16_t fill_size;
  uint16_t step;    /* the alignment of instructions */
  bool takes_chain; /* a nested function of GNU C gets a pointer in what is
                     * free otherwise */
  /* Returns the size of the nop at the beginning of size bytes of code; 0:
   * there is none. */
  unsigned (*nop)(const unsigned char *code, size_t size);
  /* The same for instructions that must stay first: bti, endbr64 and the
   * like. */
  unsigned (*marker)(const unsigned char *code, size_t size);
  /* Whether the code ends an interrupt handler, where no register is free. code
   * is at a multiple of `step` bytes from the handler's beginning. */
  bool (*returns_from_interrupt)(const unsigned char *code, size_t size);
  /* Write a sled to bytes[PATCH_SLED_MOST]. Return the size; 0: the target is
   * out of reach. */
  unsigned (*store)(const struct patch_place *place, unsigned char *bytes);
  unsigned (*call)(const struct patch_place *place, unsigned char *bytes);
};

extern const struct patch_isa patch_thumb, patch_a32, patch_aarch64,
    patch_riscv32, patch_riscv64;

/* Returns the instruction set of a function of this ELF; NULL: the machine is
 * not supported. */
const struct patch_isa *patch_isa_of(const struct elf *elf, bool thumb);

/* Returns NULL, or the reason why ELFs of this machine and byte order are
 * refused. */
const char *patch_isa_refuses(const struct elf *elf);

/* Whether to - from fits into so many bits, including the sign. Then *distance
 * is the difference. */
bool patch_distance(uint64_t from, uint64_t to, unsigned bits,
                    int64_t *distance);

enum patch_mode {
  PATCH_COVERAGE,
  PATCH_COUNTS,
  PATCH_EDGES,
  PATCH_SAMPLED,
  PATCH_PLAIN
};

/* The reason why a function is not patched. */
enum patch_skip {
  PATCH_DONE, /* it does not */
  PATCH_NOT_CHOSEN,
  PATCH_ALIAS, /* of the function before it that is none */
  PATCH_OWN,
  PATCH_EMPTY,
  PATCH_ELSEWHERE,
  PATCH_DATA,
  PATCH_NO_NOPS,
  PATCH_HANDLER,
  PATCH_NESTED,
  PATCH_SHORT,
  PATCH_FAR,
  PATCH_SKIPS
};

struct patch_function {
  const char *name; /* in patch.input */
  uint64_t address;
  uint64_t size;
  uint32_t symbol; /* its number */
  uint16_t section;
  uint8_t binding;
  bool thumb;
  enum patch_skip skip;
  uint64_t offset; /* in the file */
  uint64_t room;   /* bytes up to its end, or to the next function */
  unsigned marker; /* bytes before the nops */
  unsigned nops;   /* bytes of nops, at most as many as any sled takes */
  unsigned needs;  /* bytes of nops that the sled takes */
  uint32_t index;  /* among those that are patched */
  unsigned char sled[PATCH_SLED_MOST];
};

struct patch {
  struct elf elf;      /* of input, in which no byte is changed */
  struct buffer input; /* the ELF without sleds */
  struct buffer file;  /* patch_write: the ELF with sleds */
  struct buffer map;   /* patch_write: the map, as a file has it */
  struct buffer undo;  /* the data to restore input from file */
  enum patch_mode mode;
  uint32_t hash;                    /* of the module */
  uint64_t begin, end;              /* addresses of the raw section */
  uint64_t unit;                    /* where bareprof_mip_unit is in the file */
  uint64_t helper;                  /* address; 0: it has none */
  struct patch_function *functions; /* by ascending address */
  size_t function_count;
  size_t done; /* how many of them get a sled */
  char message[256];
};

/* All functions return NULL or the error, which is valid until the next call.
 * The caller sets *patch to {0} before, and calls patch_free in all cases. */

/* Reads an ELF, patched or not; the bytes are copied. */
const char *patch_open(struct patch *patch, struct bytes file);

/* The helper that sleds of a mode call; with coverage, only if no direct store
 * is possible. */
extern const char *const patch_helpers[PATCH_PLAIN];

/* The profile type, bits of enum mip_type. */
uint32_t patch_type(enum patch_mode mode);

/* Finds the parts of the ELF that the mode needs: raw section, helper, unit. */
const char *patch_prepare(struct patch *patch, enum patch_mode mode);

/* Finds the functions of patch.functions. Marks aliases and functions that
 * cannot be patched. Chooses and plans none. */
const char *patch_find(struct patch *patch);

/* After patch_find: returns the number of functions that have nops at their
 * entries, without those of bareprof. */
size_t patch_with_nops(struct patch *patch);

/* Chooses functions by their name or an alias. Empty: all functions. */
struct patch_choice {
  const char *const *parts; /* a name has one of these in it */
  size_t part_count;
  const char **names; /* or is one of these, sorted by patch_sort */
  size_t name_count;
};
void patch_sort(struct patch_choice *choice);
void patch_choose(struct patch *patch, const struct patch_choice *choice);

/* Sleds, and indices by ascending address. */
const char *patch_plan(struct patch *patch);

const char *patch_write(struct patch *patch);

void patch_free(struct patch *patch);

/* ---- the messages of `bareprof mip patch`, and the unit's name ---- */

/* Writes a line for each chosen function that has no sled:
 *   ADDRESS NAME: why */
void patch_log(const struct patch *patch, FILE *stream);

/* Writes one line: the number of functions with a sled, and of those without,
 * by reason. */
void patch_summary(const struct patch *patch, FILE *stream);

/* Sets patch->hash from the name of an output, `app.elf`; for an ELF with a
 * build id `app.elf@BUILDID`. If only some functions were chosen, `+MD5` of
 * their names follows. Nothing else distinguishes the builds of a program.
 * Returns NULL or the error. */
const char *patch_unit(struct patch *patch, const char *output,
                       const struct patch_choice *choice);

#endif
