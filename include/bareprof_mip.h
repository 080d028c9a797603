/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Machine IR Profile on the target: which functions and blocks have run, how
 * often functions were called, in what order for the first time, and from
 * where; for code of any compiler. `bareprof mip instrument` or `bareprof mip
 * patch` puts a sled into each function. What the sleds write is the raw
 * section, one to nine bytes a function, in RAM; what it means is the map, in
 * the ELF only, and the host (`bareprof mip`) brings the two together.
 *
 *     bareprof_mip_init();              first thing, before instrumented code
 *     ...
 *     bareprof_mip_write(&sink);        whenever you want the raw section
 *
 * and in the linker script, inside SECTIONS, after .bss and before `end`:
 *
 *     INCLUDE bareprof-mip.ld
 *
 * What every function here has in common:
 * - No heap, no stdio. Stack on a 32-bit target, as `make lib` compiles it: at
 *   most 120 bytes, bareprof_mip_send 576, plus what your sink needs.
 * - It may be called with interrupts off, before constructors have run, in a
 *   fault handler, from any stack. Nothing here waits, and nothing recurses.
 * - Instrument neither this nor your sink: compile them apart. It takes no
 *   lock. Calls that only read (write, size, send) may overlap; keep init and
 *   reset to yourself.
 * - What is sent says its build, by a hash of the build id: link with
 *   --build-id, and `bareprof mip merge` refuses what is of another build.
 * - 0 is success, a negative value one of enum bareprof_error (bareprof.h): of
 *   these E_NO_BOUNDS (the linker script does not INCLUDE bareprof-mip.ld),
 *   E_EMPTY (no instrumented function, no room), and E_NOT_INIT; a positive one
 *   is your sink's own.
 *
 * Sleds that store a byte themselves need nothing of this but init; the
 * others call a helper, of which the program links what it uses. Helpers change
 * no register that code may count on, nor flags, and need a stack of 16 to 32
 * bytes; with edges at most 80, on 64-bit cores 210.
 *
 * What is exact. Interrupts of any priority, tasks and, where the core has
 * atomic instructions, other cores may call the same function: no call is
 * lost. A count stops at 2^32 - 2. First calls are numbered from 1 on; two
 * cores that make a function's first call at one moment use two numbers up,
 * and one of them stands. ARMv6-M, v8-M Baseline and RISC-V without A mask
 * interrupts meanwhile, which needs privileged code, and knows one core. Armv7-
 * A and AArch64 use exclusive loads and stores, which on many cores need the
 * MMU on, and cacheable RAM. An NMI may come within; its counts are lost
 * only on cores that mask.
 */
#ifndef BAREPROF_MIP_H
#define BAREPROF_MIP_H

#include "bareprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the raw section its header, and 0xFF, which is "never", everywhere
 * else; forgets edges. Call it once after reset, before the first
 * instrumented function runs. Writes whole, aligned 64-bit words, and reads
 * nothing of the section. Without a raw section it does nothing. */
void bareprof_mip_init(void);

/* Starts anew, at any time after init. What interrupts count meanwhile may
 * survive or not, each count for itself. */
void bareprof_mip_reset(void);

/* Sends the raw section (.mipraw), as it is in memory, to sink; then, in a
 * program with edges, zeros up to a multiple of 8, and the edges (.mipret).
 * `bareprof mip` takes both in one file. sink and sink->write must not be
 * NULL; its contract is in bareprof.h.
 *
 * A dump of a running program shows each byte at another instant; one that
 * has interrupted a function's first count may show its number without a
 * count. */
int bareprof_mip_write(const struct bareprof_sink *sink);

/* What bareprof_mip_write would send, in bytes, as long as no edge is added;
 * 0 if it would refuse. */
size_t bareprof_mip_size(void);

/* The same as frames: `bareprof receive` makes the .mipraw of them. out must
 * not be NULL. options as for bareprof_send (bareprof_wire.h): BAREPROF_TEXT or
 * BAREPROF_BINARY, and who sends; BAREPROF_LEAN changes nothing. */
int bareprof_mip_send(const struct bareprof_sink *out, unsigned options);

/* For requests of the host, over a struct bareprof_wire of its own: the image
 * to name there, with these options. A program that also sends profiles gives
 * the one or the other another BAREPROF_IMAGE. A reset by request leaves the
 * numbers of first calls going on. Only for programs that have a raw section,
 * after bareprof_mip_init.
 *
 *     static struct bareprof_wire wire = {&bareprof_mip_image, &uart,
 *                                         BAREPROF_MIP};
 */
#define BAREPROF_MIP (1u << 4)
extern const struct bareprof_image bareprof_mip_image;

/* Room for `bareprof mip patch`, which instruments the linked ELF: bytes of the
 * raw section, in RAM: 1 a function for coverage, 8 for counts. If there is too
 * little, patch prints the line to write. Once, at file scope, in C or C++; it
 * links the helpers of patched functions. Not needed where objects have
 * __patchable_function_entries, as those of clang: from these bareprof-mip.ld
 * reserves 1 byte a function, or 8 in a link with
 * `-u bareprof_mip_count_index`. Not with `bareprof mip instrument`, whose
 * objects bring their own. */
#define BAREPROF_MIP_ROOM(bytes)                                        \
  BAREPROF_MIP_C unsigned char bareprof_mip_room[24 + (bytes)];         \
  __attribute__((                                                       \
      section("__llvm_mipraw"),                                         \
      aligned(8))) unsigned char bareprof_mip_room[24 + (bytes)] = {0}; \
  const struct bareprof_mip_room bareprof_mip_room_used = {             \
      bareprof_mip_room, bareprof_mip_cover_index, bareprof_mip_count_index}

/* Room for edges: entries, a power of 2 from 8 on; each takes 12 bytes of
 * .bss and holds how often one place in the code has called one function,
 * whether directly or not. A new edge looks at 8 entries; if these are taken,
 * its calls are only counted as lost: half as many again as there are edges is
 * plenty. Once, at file scope, in C or C++; without it no edges are kept. */
#define BAREPROF_MIP_EDGES(entries)                                  \
  static struct {                                                    \
    uint32_t lost;                                                   \
    struct bareprof_mip_edge table[entries];                         \
  } bareprof_mip_edges_made;                                         \
  typedef char bareprof_mip_edges_fit                                \
      [(entries) >= 8 && ((entries) & ((entries)-1)) == 0 ? 1 : -1]; \
  const struct bareprof_mip_edges bareprof_mip_edges = {             \
      bareprof_mip_edges_made.table,                                 \
      sizeof(bareprof_mip_edges_fit) * (entries),                    \
      &bareprof_mip_edges_made.lost, bareprof_mip_edges_write,       \
      bareprof_mip_edge_index};                                      \
  const struct bareprof_image bareprof_mip_image =                   \
      BAREPROF_MIP_IMAGE((unsigned char *)&bareprof_mip_edges_made,  \
                         (unsigned char *)(&bareprof_mip_edges_made + 1))

/* ---- below: not for you to use ---- */

#ifdef __cplusplus
#define BAREPROF_MIP_C extern "C"
#else
#define BAREPROF_MIP_C extern
#endif

/* What instrumented objects say of themselves, and `bareprof mip patch` writes
 * into the ELF: fields of the header. */
struct bareprof_mip_unit {
  uint32_t profile_type;
  uint32_t module_hash;
};
/* Of a program that `bareprof mip patch` instruments; of objects that
 * `bareprof mip instrument` has. */
extern const volatile struct bareprof_mip_unit bareprof_mip_unit;
extern const struct bareprof_mip_unit bareprof_mip_built;

/* Calls from one place to one function. All three 0: free. */
struct bareprof_mip_edge {
  uint32_t callee;         /* address of its raw bytes, lower 32 bits */
  uint32_t return_address; /* lower 32 bits, of an instruction */
  uint32_t count;
};

struct bareprof_mip_edges {
  struct bareprof_mip_edge *table;
  size_t count;
  uint32_t *lost;
  int (*write)(const struct bareprof_sink *sink);
  void (*helper)(void);
};
extern const struct bareprof_mip_edges bareprof_mip_edges;
int bareprof_mip_edges_write(const struct bareprof_sink *sink);

struct bareprof_mip_room {
  unsigned char *bytes;
  void (*cover)(void);
  void (*count)(void);
};
extern const struct bareprof_mip_room bareprof_mip_room_used;

/* The helpers; runtime/arch/mip.h says how sleds call them. */
void bareprof_mip_cover(void);
void bareprof_mip_count(void);
void bareprof_mip_edge(void);
void bareprof_mip_cover_index(void);
void bareprof_mip_count_index(void);
void bareprof_mip_edge_index(void);

/* The number of the next first call. */
extern uint32_t bareprof_mip_time;

/* Of the linker script. Weak: without it both are NULL. */
#define BAREPROF_MIP_BOUND \
  extern __attribute__((weak, visibility("hidden"))) unsigned char
BAREPROF_MIP_BOUND __bareprof_mip_begin[], __bareprof_mip_end[];
extern __attribute__((weak, visibility("hidden")))
const unsigned char __bareprof_build_id_start[],
    __bareprof_build_id_end[];

/* The raw section as an image for the link: the header as records, what
 * follows as byte counters, edges as bitmap. */
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

#ifdef __cplusplus
}
#endif
#endif
