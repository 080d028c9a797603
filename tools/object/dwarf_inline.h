/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which function an address is of, and through which calls it was inlined
 * there.
 *
 *     struct dwarf_scopes scopes;
 *     const char *error = dwarf_scopes_read(&scopes, &dwarf);
 *     ...
 *     struct dwarf_frame frames[DWARF_FRAMES];
 *     size_t count = dwarf_frames(&scopes, &lines, address, frames);
 *
 * A scope is 16 bytes of memory and a span of it 16 or 32; what is said of a
 * frame is read when it is asked for.
 */
#ifndef BASE_DWARF_INLINE_H
#define BASE_DWARF_INLINE_H

#include "dwarf_lines.h"

/* Deeper ones are cut, on the side of the callers. */
enum { DWARF_FRAMES = 64 };

struct dwarf_scope;

struct dwarf_segment {
  uint64_t begin; /* up to where the next one begins */
  uint32_t scope; /* the innermost; 0: none */
};

struct dwarf_scopes {
  const struct dwarf *dwarf;
  struct dwarf_scope *list; /* from 1 on */
  struct dwarf_segment *segments;
  size_t segment_count;
  struct buffer scope_buffer, segment_buffer;
};

struct dwarf_frame {
  const char *name;     /* as the linker knows it, or as it is written */
  const char *plain;    /* as it is written; both "": not known */
  uint32_t declared;    /* the line where the function begins; 0: not known */
  uint32_t declared_in; /* the file, see dwarf_lines_path */
  uint32_t file, line;  /* of the frame's place: of the address, in frame 0, */
  uint32_t discriminator; /* or of the call to the frame before it */
  uint16_t column;
  bool inlined; /* into the next frame */
};

/* A function whose code is there, or the first of them, from begin up to end:
 * its names, and where it is declared. Not one that is inlined there, whose
 * line the code may have. false: none is known. */
bool dwarf_function(const struct dwarf_scopes *scopes,
                    const struct dwarf_lines *lines, struct dwarf_span span,
                    struct dwarf_frame *function);

/* NULL, or what is wrong; in both cases the caller calls dwarf_scopes_free.
 * dwarf must live as long as scopes. */
const char *dwarf_scopes_read(struct dwarf_scopes *scopes,
                              const struct dwarf *dwarf);
void dwarf_scopes_free(struct dwarf_scopes *scopes);

/* The frames of an address, the innermost function's first. Where only the
 * line is known, as may be with -g1, that is one frame without a name; 0:
 * nothing is. Names live as long as dwarf. */
size_t dwarf_frames(const struct dwarf_scopes *scopes,
                    const struct dwarf_lines *lines, uint64_t address,
                    struct dwarf_frame frames[DWARF_FRAMES]);

#endif
