/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Declares the parts of the public headers that programs do not use directly:
 * structs, of which macros such as BAREPROF_VALUES define objects, and inline
 * functions. The size of a struct is part of the interface, its members are
 * not. Each header gets only its own section of this file.
 */
#include "bareprof.h"

BAREPROF_BEGIN_C

/* ---- values ---- */

#if defined BAREPROF_VALUES_H && !defined BAREPROF_PRIVATE_VALUES
#define BAREPROF_PRIVATE_VALUES

#ifndef BAREPROF_FOREIGN
typedef uintptr_t bareprof_value_word;
#if UINTPTR_MAX > UINT32_MAX
typedef uint32_t bareprof_value_half;
#else
typedef uint16_t bareprof_value_half;
#endif
#endif

/* A slot of the table of values (values.h in runtime/). */
struct bareprof_value_slot {
  bareprof_value_word owner; /* the record's address, and the slot's state */
  bareprof_value_word value;
  bareprof_value_word count;
  bareprof_value_half site;
  bareprof_value_half rank; /* the rank of the value that it replaced */
};

struct bareprof_values_state {
  bareprof_value_word dumps; /* in progress; all ones while the last ends */
  uint32_t ticks;
};

/* This struct is in ROM; the slots and the state, in RAM, need no initial
 * value. */
struct bareprof_values {
  struct bareprof_value_slot *slots;
  struct bareprof_values_state *state;
  size_t homes;   /* number of slots at which a site's slots may begin */
  uint32_t ways;  /* number of neighbouring slots that a site may use */
  uint32_t count; /* number of slots */
};

#define BAREPROF_VALUES_MADE(where, count, ways)                               \
  static struct bareprof_value_slot bareprof_value_slots[count] where;         \
  static struct bareprof_values_state bareprof_values_state where;             \
  typedef char bareprof_values_fit[(ways) >= 1 && (ways) <= 255 &&             \
                                           (ways) <= (count) &&                \
                                           (count) <= (bareprof_value_half)~0u \
                                       ? 1                                     \
                                       : -1];                                  \
  const struct bareprof_values bareprof_values = {                             \
      bareprof_value_slots, &bareprof_values_state, (count) - (ways) + 1,      \
      ways, sizeof(bareprof_values_fit) * (count)}

#endif

/* ---- samples ---- */

#if defined BAREPROF_SAMPLER_H && !defined BAREPROF_PRIVATE_SAMPLER
#define BAREPROF_PRIVATE_SAMPLER

#define BAREPROF_SAMPLER_WAYS 4
#define BAREPROF_SAMPLER_LEVELS 8

/* All 0 means stopped and empty. The entries follow in memory; reset clears
 * `since` and the entries. */
struct bareprof_sampler_state {
  volatile uint8_t level; /* samples and dumps in progress, nested */
  volatile uint8_t running;
  uint8_t sent; /* number of dumps so far */
  uint32_t period;
  uint32_t random;
  uintptr_t stack, stack_end;
  struct {         /* since the last reset */
    uint32_t next; /* offset of the next entry in the ring, in bytes */
    uint32_t kept; /* samples that are or were in an entry */
    uint32_t lost[BAREPROF_SAMPLER_LEVELS]; /* lost samples, by level */
  } since;
};

struct bareprof_sampler {
  struct bareprof_sampler_state *state;
  unsigned char *entries;
  uint32_t size;   /* size of all entries, in bytes */
  uint32_t places; /* number of entries that fit */
  uint16_t width;  /* size of an entry, in bytes */
  uint16_t chain;  /* number of words for callers in an entry */
  uint16_t flags;  /* flags of the file's header, BAREPROF_SAMPLES_... */
  void (*take)(uintptr_t pc, uintptr_t lr, uintptr_t fp);
};
extern const struct bareprof_sampler bareprof_sampler;

void bareprof_sampler_ring(uintptr_t pc, uintptr_t lr, uintptr_t fp);
void bareprof_sampler_chain(uintptr_t pc, uintptr_t lr, uintptr_t fp);
void bareprof_sampler_table(uintptr_t pc, uintptr_t lr, uintptr_t fp);

#if UINTPTR_MAX > UINT32_MAX
#define BAREPROF_SAMPLER_WIDE BAREPROF_SAMPLES_WIDE
#else
#define BAREPROF_SAMPLER_WIDE 0
#endif
#define BAREPROF_SAMPLER_HERE                                            \
  ((__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? BAREPROF_SAMPLES_BIG_ENDIAN \
                                           : 0) |                        \
   BAREPROF_SAMPLER_WIDE)

#define BAREPROF_SAMPLER_MADE(where, places, fits, chain, flags, take)    \
  enum {                                                                  \
    bareprof_sampler_words =                                              \
        (flags) == BAREPROF_SAMPLES_FOLDED ? 3 : 2 + (chain)              \
  };                                                                      \
  static struct {                                                         \
    struct bareprof_sampler_state state;                                  \
    uintptr_t words[(places)*bareprof_sampler_words];                     \
  } bareprof_sampler_made where;                                          \
  typedef char bareprof_sampler_fit[(fits) ? 1 : -1];                     \
  const struct bareprof_sampler bareprof_sampler = {                      \
      &bareprof_sampler_made.state,                                       \
      (unsigned char *)bareprof_sampler_made.words,                       \
      sizeof(bareprof_sampler_fit) * sizeof(bareprof_sampler_made.words), \
      (places),                                                           \
      bareprof_sampler_words * sizeof(uintptr_t),                         \
      (chain),                                                            \
      (flags) | BAREPROF_SAMPLER_HERE,                                    \
      take}

#endif

/* ---- Machine IR Profile ---- */

#if defined BAREPROF_MIP_H && !defined BAREPROF_PRIVATE_MIP
#define BAREPROF_PRIVATE_MIP

#ifdef __cplusplus
#define BAREPROF_MIP_C extern "C"
#else
#define BAREPROF_MIP_C extern
#endif

/* Two fields of the raw section's header: bareprof_mip_unit in a program that
 * `bareprof mip patch` instruments, bareprof_mip_built in objects from
 * `bareprof mip instrument`. */
struct bareprof_mip_unit {
  uint32_t profile_type;
  uint32_t module_hash;
};
extern const volatile struct bareprof_mip_unit bareprof_mip_unit;
extern const struct bareprof_mip_unit bareprof_mip_built;

/* An edge; an entry is free if all three members are 0. */
struct bareprof_mip_call {
  uint32_t callee;         /* lower 32 bits of its raw bytes' address */
  uint32_t return_address; /* lower 32 bits; on Arm without the Thumb bit */
  uint32_t count;
};

struct bareprof_mip_edges {
  struct bareprof_mip_call *table;
  size_t count;
  uint32_t interval;
  uint32_t *lost;
  int (*write)(const struct bareprof_sink *sink);
  void (*helper)(void);
};
extern const struct bareprof_mip_edges bareprof_mip_edges;
int bareprof_mip_edges_write(const struct bareprof_sink *sink);

#define BAREPROF_MIP_TABLE(entries, calls, patched)                            \
  static struct {                                                              \
    uint32_t lost;                                                             \
    struct bareprof_mip_call table[entries];                                   \
  } bareprof_mip_edges_made;                                                   \
  typedef char bareprof_mip_edges_fit                                          \
      [(entries) >= 8 && ((entries) & ((entries)-1)) == 0 ? 1 : -1];           \
  typedef char bareprof_mip_interval_fits[(calls) >= 1 && (calls) <= 4096 &&   \
                                                  ((calls) & ((calls)-1)) == 0 \
                                              ? 1                              \
                                              : -1];                           \
  const struct bareprof_mip_edges bareprof_mip_edges = {                       \
      bareprof_mip_edges_made.table,                                           \
      sizeof(bareprof_mip_edges_fit) * (entries),                              \
      sizeof(bareprof_mip_interval_fits) * (calls),                            \
      &bareprof_mip_edges_made.lost,                                           \
      bareprof_mip_edges_write,                                                \
      patched};                                                                \
  const struct bareprof_image bareprof_mip_image =                             \
      BAREPROF_MIP_IMAGE((unsigned char *)&bareprof_mip_edges_made,            \
                         (unsigned char *)(&bareprof_mip_edges_made + 1))

struct bareprof_mip_room {
  unsigned char *bytes;
  void (*cover)(void);
  void (*count)(void);
};
extern const struct bareprof_mip_room bareprof_mip_room_used;

/* The helpers; runtime/arch/mip_helpers.h says how sleds call them. */
void bareprof_mip_cover(void);
void bareprof_mip_count(void);
void bareprof_mip_edge(void);
void bareprof_mip_cover_index(void);
void bareprof_mip_count_index(void);
void bareprof_mip_edge_index(void);
void bareprof_mip_first(void);
void bareprof_mip_sample(void);
void bareprof_mip_step(void);
void bareprof_mip_step_index(void);

/* The next function that is called for the first time gets this number. */
extern uint32_t bareprof_mip_time;

/* The linker script defines these bounds; without bareprof-mip.ld both are
 * NULL. */
#define BAREPROF_MIP_BOUND \
  extern __attribute__((weak, visibility("hidden"))) unsigned char
BAREPROF_MIP_BOUND __bareprof_mip_begin[], __bareprof_mip_end[];
extern __attribute__((weak, visibility("hidden")))
const unsigned char __bareprof_build_id_start[],
    __bareprof_build_id_end[];

/* The raw section as an image that can be sent: the header takes the place of
 * records, the bytes after it are byte counters, edges are the bitmap. */
extern const uint64_t bareprof_mip_version;
#define BAREPROF_MIP_NONE \
  { 0, 0 }
#define BAREPROF_MIP_IMAGE(edges, edges_end)                       \
  {                                                                \
    &bareprof_mip_version, 0,                                      \
        {{{__bareprof_mip_begin, __bareprof_mip_begin + 24},       \
          {__bareprof_mip_begin + 24, __bareprof_mip_end},         \
          {edges, edges_end},                                      \
          BAREPROF_MIP_NONE,                                       \
          BAREPROF_MIP_NONE,                                       \
          BAREPROF_MIP_NONE}},                                     \
        {__bareprof_build_id_start, __bareprof_build_id_end}, 0, 0 \
  }

#endif

/* ---- frames; last, because the pragma affects the rest of this file ---- */

#if defined BAREPROF_WIRE_H && !defined BAREPROF_PRIVATE_WIRE
#define BAREPROF_PRIVATE_WIRE

struct bareprof_stream;
typedef struct bareprof_stream *
bareprof_encoding(struct bareprof_stream *stream, unsigned what);
bareprof_encoding bareprof_text, bareprof_binary;
int bareprof_send_lean(const struct bareprof_image *image,
                       const struct bareprof_sink *out, unsigned options,
                       bareprof_encoding *encoding);
int bareprof_send_full(const struct bareprof_image *image,
                       const struct bareprof_sink *out, unsigned options,
                       bareprof_encoding *encoding);
int bareprof_send_name_as(const struct bareprof_sink *out, unsigned options,
                          const char *name, bareprof_encoding *encoding);

/* In optimised code the three functions below are also inline, so that with
 * constant options only the code for these options is linked. A unit test may
 * still define a function of the same name, in C, and in C++ at -O0. The pragma
 * and the attribute keep the functions out of your coverage. */
#if defined __OPTIMIZE__ || defined BAREPROF_WIRE_INLINE
#pragma GCC system_header
#ifndef BAREPROF_WIRE_INLINE
#define BAREPROF_WIRE_INLINE                              \
  extern inline __attribute__((gnu_inline, always_inline, \
                               no_profile_instrument_function))
#endif

BAREPROF_WIRE_INLINE int bareprof_send_image(const struct bareprof_image *image,
                                             const struct bareprof_sink *out,
                                             unsigned options) {
  bareprof_encoding *encoding =
      options & BAREPROF_BINARY ? bareprof_binary : bareprof_text;
  return options & BAREPROF_LEAN
             ? bareprof_send_lean(image, out, options, encoding)
             : bareprof_send_full(image, out, options, encoding);
}

BAREPROF_WIRE_INLINE int bareprof_send(const struct bareprof_sink *out,
                                       unsigned options) {
  return bareprof_send_image(&bareprof_running, out, options);
}

BAREPROF_WIRE_INLINE int bareprof_send_name(const struct bareprof_sink *out,
                                            unsigned options,
                                            const char *name) {
  return bareprof_send_name_as(out, options, name,
                               options & BAREPROF_BINARY ? bareprof_binary
                                                         : bareprof_text);
}
#endif

#endif

BAREPROF_END_C
