/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The number for %m: the same for all processes of one build, another for most
 * other programs. compiler-rt computes it from the sizes of the profile's
 * pieces, the first record and the version. This is the same number, so that
 * programs linked with either runtime share pools.
 */
#include "profraw_write.h"
#include "hosted.h"
#include "names.h"

/* compiler-rt brings a pool of so many value nodes into any program, and counts
 * it in, unless the linker drops it. */
enum { NODES_OF_COMPILER_RT = 1024, NODE_SIZE = 24, NODE_ALIGN = 16 };

/* In the place of that pool: dropped where that would be, and with the same
 * gap before it. Nothing refers to it; that it is there tells it, as nodes are
 * all 0. */
#define MARK UINT64_C(0x6C6F6F7066726162)
static uint64_t pool[2] __attribute__((section("__llvm_prf_vnds"), used,
                                       aligned(NODE_ALIGN))) = {MARK, MARK};

/* The objects' own nodes, which nothing here fills. */
extern const unsigned char __start___llvm_prf_vnds[]
    __attribute__((weak, visibility("hidden")));
extern const unsigned char __stop___llvm_prf_vnds[]
    __attribute__((weak, visibility("hidden")));

static uint64_t size_of_nodes(void) {
  const struct bareprof_span nodes = {__start___llvm_prf_vnds,
                                      __stop___llvm_prf_vnds};
  return bareprof_span_size(&nodes);
}

uint64_t bareprof_hosted_nodes(void) {
  return size_of_nodes() / NODE_SIZE + NODES_OF_COMPILER_RT;
}

bool bareprof_hosted_has_no_nodes(void) { return size_of_nodes() < NODE_SIZE; }

static bool has_pool(void) {
  const unsigned char *at = __start___llvm_prf_vnds;
  for (uint64_t left = size_of_nodes() / sizeof(uint64_t); left; left--) {
    uint64_t word;
    __builtin_memcpy(&word, at, sizeof word);
    if (word == MARK)
      return true;
    at += sizeof word;
  }
  return false;
}

/* A third of the words, by multiplication, which is what a compiler makes of
 * the distance between two nodes. Gaps between objects' nodes may leave one
 * that is no whole number of them, and the product is large then. */
static uint64_t nodes_counted(void) {
  uint64_t size = size_of_nodes();
  if (has_pool())
    size += NODES_OF_COMPILER_RT * NODE_SIZE - sizeof pool;
  return size / 8 * UINT64_C(0xAAAAAAAAAAAAAAAB);
}

uint64_t bareprof_hosted_signature(void) {
  const struct bareprof_image *image = &bareprof_hosted_image;
  const struct bareprof_layout *layout = bareprof_layout_find(image);
  uint64_t records = bareprof_span_size(&image->records);
  uint64_t first = 0;
  if (records >= sizeof first)
    __builtin_memcpy(&first, image->records.begin, sizeof first);
  if (layout)
    records /= layout->record_size;
  uint64_t counters =
      bareprof_span_size(&image->counters) >> bareprof_counter_shift(image);
  uint64_t number = nodes_counted() << 10;
  number += (uint64_t)bareprof_span_size(&image->names) << 40;
  number += (counters << 30) + (records << 20) + first;
  return number + *image->version + BAREPROF_MAGIC_WORD(sizeof(void *) == 8);
}

uint64_t lprofGetLoadModuleSignature(void) {
  return bareprof_hosted_signature();
}
