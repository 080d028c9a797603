# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make hosted. Included by the Makefile.

# For this machine, under the name of compiler-rt's archive, without the parts
# that are for targets only.
HOSTED_OUT = $(BUILD)/llvm-$(LLVM)/x86_64-pc-linux-gnu
HOSTED = $(HOSTED_OUT)/libclang_rt.profile-x86_64.a
HOSTED_PORT := $(wildcard tests/hosted/port/*.c)
HOSTED_SOURCES := $(filter-out \
  $(addprefix runtime/,abi_buffer.c abi_emutls.c abi_objects.c abi_unwind.c \
  image_sections.c boot_preinit.c values.c), \
  $(wildcard runtime/*.c))
HOSTED_OBJECTS = $(HOSTED_SOURCES:runtime/%=$(HOSTED_OUT)/hosted/%.o) \
  $(HOSTED_PORT:tests/hosted/port/%=$(HOSTED_OUT)/hosted/port/%.o)
HOSTED_CC = clang-$(LLVM) --target=x86_64-pc-linux-gnu -std=c11 -O2 -fPIC \
  -fvisibility=hidden -ffunction-sections -fdata-sections \
  -D_POSIX_C_SOURCE=200809L -DBAREPROF_ANY_VERSION -Wall -Wextra -Wpedantic \
  -Wshadow -Iinclude -Iruntime

.PHONY: hosted
hosted: $(HOSTED) ## for this machine, in the place of compiler-rt's: LLVM=
	@:

$(HOSTED): $(HOSTED_OBJECTS)
	$(Q)rm -f $@
	$(Q)llvm-ar-$(LLVM) rcs $@ $(HOSTED_OBJECTS)

$(HOSTED_OUT)/hosted.flags: FORCE
	@mkdir -p $(@D) $(sort $(dir $(HOSTED_OBJECTS)))
	@echo '$(HOSTED_CC)' | cmp -s - $@ || \
	  { rm -f $@; echo '$(HOSTED_CC)' > $@; }

$(HOSTED_OUT)/hosted/%.c.o: runtime/%.c $(HOSTED_OUT)/hosted.flags
	$(Q)$(HOSTED_CC) -MMD -MP -c $< -o $@

$(HOSTED_OUT)/hosted/port/%.c.o: tests/hosted/port/%.c $(HOSTED_OUT)/hosted.flags
	$(Q)$(HOSTED_CC) -MMD -MP -c $< -o $@

-include $(HOSTED_OBJECTS:.o=.d)
