/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Prints header and record of the raw format as the compiler's own
 * profile/InstrProfData.inc has them, in the form of format_print: the truth
 * that the tests' tables are held against. Built once for each LLVM.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

enum kinds {
#define VALUE_PROF_KIND(name, value, text) name = value,
#include <profile/InstrProfData.inc>
};

struct header {
#define INSTR_PROF_RAW_HEADER(type, name, value) type name;
#include <profile/InstrProfData.inc>
};

#define IntPtrT uint64_t
struct record64 {
#define INSTR_PROF_DATA(type, llvm, name, value) type name;
#include <profile/InstrProfData.inc>
};
#undef IntPtrT

#define IntPtrT uint32_t
struct record32 {
#define INSTR_PROF_DATA(type, llvm, name, value) type name;
#include <profile/InstrProfData.inc>
};
#undef IntPtrT

#include <profile/InstrProfData.inc>

static void print_header(int width) {
  printf("raw %d, %d-bit\n", INSTR_PROF_RAW_VERSION, width);
#define INSTR_PROF_RAW_HEADER(type, name, value) \
  printf("%s %zu\n", #name, offsetof(struct header, name));
#include <profile/InstrProfData.inc>
  printf("size %zu\n", sizeof(struct header));
}

int main(void) {
  print_header(64);
#define INSTR_PROF_DATA(type, llvm, name, value) \
  printf("%s %zu\n", #name, offsetof(struct record64, name));
#include <profile/InstrProfData.inc>
  printf("size %zu\n", sizeof(struct record64));
  print_header(32);
#define INSTR_PROF_DATA(type, llvm, name, value) \
  printf("%s %zu\n", #name, offsetof(struct record32, name));
#include <profile/InstrProfData.inc>
  printf("size %zu\n", sizeof(struct record32));
  return 0;
}
