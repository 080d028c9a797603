/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * bareprof_running: the image as the linker has placed it. Nothing else is
 * here, so that an object beside the archive takes the place of the whole
 * member: beside/relocate.c.
 */
#include "image_sections.h"
#include "bareprof.h"
#include "weak_hooks.h"

const struct bareprof_image bareprof_running = BAREPROF_LINKED_IMAGE;
