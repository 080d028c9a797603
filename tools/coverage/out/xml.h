/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Text in XML. A character that XML cannot have becomes a question mark.
 */
#ifndef BAREPROF_TOOLS_XML_H
#define BAREPROF_TOOLS_XML_H

#include <stddef.h>

#include "../../base/text.h"

void xml_put(struct text *to, const char *text, size_t length);

/* Writes a blank, the name, and the value in quotes. */
void xml_put_attribute(struct text *to, const char *name, const char *value,
                       size_t length);

#endif
