# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The runtime for tests on this machine. Included by the Makefile.

# FOREIGN=1: as in the tool. All record layouts, unless DEFINES tells
# BAREPROF_RAW_VERSION. WITHOUT: sources of runtime/ that its programs do not
# need, as patterns. AS= names the result of these and of flags. Prints the
# archive's name.
NATIVE_CC ?= clang-$(LLVM_HOST)
NATIVE_CFLAGS ?= -g $(if $(SANITIZE),$(SANITIZED_LEVEL),-O1)
FOREIGN :=
DEFINES :=
WITHOUT :=
AS :=
NATIVE_OUT = $(ARCHIVES)/native/$(notdir $(firstword \
  $(NATIVE_CC)))$(AS:%=-%)$(FLAVOUR)$(if $(FOREIGN),-foreign)
NATIVE_LIB = $(NATIVE_OUT)/libbareprof-native.a
NATIVE_SOURCES = $(filter-out $(WITHOUT:%=runtime/%),$(if $(FOREIGN),\
  $(FOREIGN_SOURCES), \
  $(wildcard runtime/*.c runtime/fold/*.c runtime/arch/mip_*.S)))
NATIVE_OBJECTS = $(NATIVE_SOURCES:runtime/%=$(NATIVE_OUT)/obj/%.o)
NATIVE_FLAGS = $(NATIVE_CFLAGS) -std=c11 -Wall -Wextra -Werror -Iinclude \
  -Iruntime $(if $(SANITIZE),$(call SANITIZED,$(NATIVE_CC))) \
  $(if $(FOREIGN),-DBAREPROF_FOREIGN,$(if $(findstring \
  RAW_VERSION,$(DEFINES)),,-DBAREPROF_ANY_VERSION)) \
  $(strip $(DEFINES))

.PHONY: runtime-archive
runtime-archive: $(NATIVE_LIB)
	@echo $<

$(NATIVE_LIB): $(NATIVE_OBJECTS)
	$(Q)rm -f $@
	$(Q)$(HOST_AR) qcs $@ $^

$(NATIVE_OUT)/flags: FORCE
	@mkdir -p $(@D) $(sort $(dir $(NATIVE_OBJECTS)))
	@echo '$(NATIVE_CC) $(NATIVE_FLAGS) $(NATIVE_SOURCES)' | cmp -s - $@ || \
	  { rm -f $@; echo '$(NATIVE_CC) $(NATIVE_FLAGS) $(NATIVE_SOURCES)' > $@; }

$(NATIVE_OUT)/obj/%.c.o: runtime/%.c $(NATIVE_OUT)/flags
	$(Q)$(NATIVE_CC) $(NATIVE_FLAGS) -MMD -MP -c $< -o $@

$(NATIVE_OUT)/obj/%.S.o: runtime/%.S $(NATIVE_OUT)/flags
	$(Q)$(NATIVE_CC) -Iinclude -Iruntime -MMD -MP -c $< -o $@

-include $(NATIVE_OBJECTS:.o=.d)
