/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Fuzz target: linker scripts of phrases. The choices for a script are in it:
 * the regions, and parts of these that leave room for the rest.
 */
#include <string.h>

#include "base/arena.h"
#include "base/catch.h"
#include "init/linker_script.h"
#include "input.h"
#include "phrases.h"

enum { MOST = 2048 };

static const char *const phrases[] = {
    "MEMORY {",
    "RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 64K\n",
    "ROM (rxi!w) : org = 0, len = SIZE\n",
    "} SECTIONS {",
    "}",
    "REGION_ALIAS(\"DATA\", RAM)",
    "REGION_ALIAS(RAM, DATA)",
    "INCLUDE nosuch.ld\n",
    "PHDRS { a PT_LOAD; }",
    ".text : { *(.text*) } > ROM\n",
    ".data : AT(load) { *(.data) } > RAM AT > ROM :a =0xff\n",
    ".bss (NOLOAD) : { *(.bss.*) COMMON",
    "} > DATA\n",
    "} > RAM\n",
    ".stack ORIGIN(RAM) + LENGTH(RAM) - SIZE : {",
    "SIZE = DEFINED(SIZE) ? SIZE : 0x400;",
    "A = B + B; B = A * A;",
    "PROVIDE(end = .);",
    "__HeapLimit = ORIGIN(RAM) + LENGTH(RAM);",
    "__heap_end = .;",
    "_end = end;",
    ". = x_size;",
    ". = . + (((((1 << 4) ? 2 : 3)))",
    "/* RAM : */",
    "/*",
    "\"a b\"",
    "KEEP(*(SORT(.x)))",
    "ASSERT(A <= B, \"no\")",
    "LENGTH = -~-",
    "(READONLY) ALIGN_WITH_INPUT",
    "# 1 \"a.h\"\n",
    "\n#if 1\n",
    "OVERLAY : { .a { *(.a) } } > RAM",
    "ABSOLUTE(ADDR(.bss))",
    "+",
    "=",
    ";",
    ":"};

static void check(const struct ld_script *script) {
  const struct ld_region *ram = script->ram, *rom = script->rom;
  must(ram && rom, "both regions are in the script");
  must(script->ram_size <= 8192 && script->rom_size <= 65536,
       "parts are small");
  must(!script->ram_size || script->stack >= script->ram_size,
       "there is a stack");
  if (ram->origin != UINT64_MAX && ram->length >= 1024)
    must(script->ram_size <= ram->length / 4, "a part of RAM");
  if (rom->origin != UINT64_MAX && rom->length >= 1024)
    must(script->rom_size <= rom->length / 4, "a part of ROM");
  must(strstr(script->lines, "BAREPROF_RAM") &&
           strstr(script->lines, "BAREPROF_ROM"),
       "both regions are in the file");
}

/* Half of the scripts are whole but for the end of SECTIONS. */
static const char before[] =
    "MEMORY { RAM : ORIGIN = 1 << 29, LENGTH = 64K ROM : o = 0, l = SIZE }\n"
    "SECTIONS { .text : { *(.text) } > ROM .bss : { *(.bss) } > RAM\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) {
  size_t size = 0, begin = count && *data & 1 ? sizeof before - 1 : 0;
  char *text = phrases_text(phrases, sizeof phrases / sizeof *phrases, data,
                            count < MOST ? count : MOST, &size);
  /* Of its very size, for the sanitizer. */
  unsigned char *bytes = malloc(begin + size + 1);
  memcpy(bytes, before, begin);
  memcpy(bytes + begin, text, size);
  size += begin;
  if (begin)
    bytes[size++] = '}';
  for (unsigned heap = HEAP_ASKED; heap <= HEAP_OPEN; heap++) {
    struct ld_script script = {.text = {bytes, size}, .heap = heap};
    const char *error = catch_error(script_parse_and_plan, &script);
    if (!error)
      check(&script);
    must(!error || strchr(error, ';') || strstr(error, "memory"),
         "an error says what to do");
    arena_free(&script.texts);
    free(script.tokens);
    free(script.regions);
    free(script.sections);
    free(script.symbols);
  }
  free(text);
  free(bytes);
  return 0;
}
