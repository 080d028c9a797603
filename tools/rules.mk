# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make tool, and the archive of its parts for tests. Included by the Makefile.

# HOST: the system that the tool is for, as the prefix of its gcc; none: this
# machine's. Of Windows, the tool needs no library besides the system's.
HOST ?=
WINDOWS := $(findstring -mingw32,$(HOST))
ifneq ($(HOST),)
HOST_CC ?= $(HOST)-gcc
HOST_AR ?= $(HOST)-ar
endif

# Searched once, on first use.
HOST_CC ?= $(eval HOST_CC := $(firstword $(foreach \
  c,cc gcc clang-$(LLVM) clang,$(shell command -v $c)) cc))$(HOST_CC)
HOST_AR ?= $(eval HOST_AR := $(firstword $(foreach \
  c,ar llvm-ar-$(LLVM) llvm-ar,$(shell command -v $c)) ar))$(HOST_AR)
HOST_CFLAGS ?= -O2
# For tests: sanitizers, as clang names them, in their own folder. One build
# serves unit tests and fuzz targets. COVERAGE=1: records which lines these
# reach. PARTS: the commands, and only these folders of tools/ that the commands
# use.
SANITIZE :=
COVERAGE :=
PARTS ?=
LLVM_HOST ?= 22
# -O0 compiles in a third of the time of -O1, at which long runs are faster.
SANITIZED_LEVEL ?= -O1
# The fuzzer learns nothing from comparisons with -use_cmp=0.
SANITIZED = $(if $(findstring clang,$1),-fsanitize=fuzzer-no-link \
  -fno-sanitize-coverage=trace-cmp) \
  -fsanitize=$(SANITIZE) -fno-sanitize-recover=all $(RECORDS)
RECORDS = $(if $(COVERAGE),-fprofile-instr-generate -fcoverage-mapping)
FLAVOUR = $(SANITIZE:%=-%$(SANITIZED_LEVEL))$(if $(COVERAGE),-coverage)
PARTS_NAME = $(subst $() ,,$(PARTS:%=-%))
# Builds in several folders may share one archive folder; then one of them
# builds first.
ARCHIVES ?= $(BUILD)
TOOL_OUT = $(ARCHIVES)/tool$(HOST:%=-%)$(FLAVOUR)$(PARTS_NAME)
TOOL = $(if $(SANITIZE),$(TOOL_OUT),$(BUILD))/bareprof$(if $(WINDOWS),.exe)
TOOL_LIB = $(TOOL_OUT)/libbareprof-tool.a
ifeq ($(SANITIZE),)
TOOL_CC = $(HOST_CC)
TOOL_CFLAGS = $(HOST_CFLAGS) $(RECORDS)
else
TOOL_CC = clang-$(LLVM_HOST)
TOOL_CFLAGS = -gline-tables-only $(SANITIZED_LEVEL) -Werror \
  $(call SANITIZED,$(TOOL_CC))
endif
TOOL_FLAGS = $(TOOL_CFLAGS) -std=c11 -D_POSIX_C_SOURCE=200809L \
  -DBAREPROF_FOREIGN -Wall -Wextra -Wpedantic -Wshadow -Iinclude -Iruntime \
  $(if $(WINDOWS),$(WINDOWS_FLAGS))
# A comma, where a function of make would take it for its own.
, := ,
# Windows 7 and later; printf as in C11.
WINDOWS_FLAGS := -D_WIN32_WINNT=0x0601 -D__USE_MINGW_ANSI_STDIO=1 \
  -DPRINTS_STYLE=gnu_printf
# The parts of the runtime for images of other machines, and the frames.
FOREIGN_SOURCES := $(addprefix runtime/,image_layout.c profraw_write.c \
  values_write.c wire_frame.c)
# The files of other systems stay out.
TOOL_SOURCES := $(FOREIGN_SOURCES) $(filter-out \
  tools/base/os_$(if $(WINDOWS),posix,windows)% tools/trace/qemu_plugin.c, \
  $(wildcard $(if $(PARTS),$(PARTS:%=tools/%/*.c) $(PARTS:%=tools/%/*/*.c) \
  tools/cmd/*.c,tools/*/*.c tools/*/*/*.c)))
TOOL_OBJECTS = $(TOOL_SOURCES:%=$(TOOL_OUT)/%.o)
TOOL_MAIN = $(TOOL_OUT)/tools/cmd/main.c.o

# The whole tool except main, for tests to link. Prints the archive's name.
.PHONY: tool-archive
tool-archive: $(TOOL_LIB)
	@echo $<

$(TOOL): $(TOOL_MAIN) $(TOOL_LIB)
	$(Q)$(TOOL_CC) $(TOOL_CFLAGS) -pthread $^ -o $@ \
	  $(if $(WINDOWS),-static -lws2_32 -lshell32 \
	  -Wl$(,)--no-insert-timestamp)

# Members of the same name stand next to each other: q does not replace.
$(TOOL_LIB): $(filter-out $(TOOL_MAIN),$(TOOL_OBJECTS))
	$(Q)rm -f $@
	$(Q)$(HOST_AR) qcs $@ $^

$(TOOL_OUT)/flags: FORCE
	@mkdir -p $(@D) $(sort $(dir $(TOOL_OBJECTS)))
	@echo '$(TOOL_CC) $(TOOL_FLAGS) $(TOOL_SOURCES)' | cmp -s - $@ || \
	  { rm -f $@; echo '$(TOOL_CC) $(TOOL_FLAGS) $(TOOL_SOURCES)' > $@; }

# The plugin's source, for printing.
$(TOOL_OUT)/qemu_plugin.inc: tools/trace/qemu_plugin.c $(TOOL_OUT)/flags
	$(Q)sed 's/[\\"]/\\&/g; s/.*/"&\\n",/' $< >$@
$(TOOL_OUT)/tools/trace/plugin.c.o: $(TOOL_OUT)/qemu_plugin.inc
$(TOOL_OUT)/tools/trace/plugin.c.o: private TOOL_FLAGS += -I$(TOOL_OUT)

# The first C text of README, for bareprof init.
$(TOOL_OUT)/dump.inc: README.md $(TOOL_OUT)/flags
	$(Q)sed -n -e '/^ *```c$$/,/^ *```$$/!d; s/^   //; /^```/d' \
	  -e 's/[\\"]/\\&/g; s/.*/"&\\n"/p' $< >$@
$(TOOL_OUT)/tools/cmd/init_project.c.o: $(TOOL_OUT)/dump.inc
$(TOOL_OUT)/tools/cmd/init_project.c.o: private TOOL_FLAGS += -I$(TOOL_OUT)

# The tables of the page of errors, for bareprof explain.
$(TOOL_OUT)/errors.inc: docs/reference/errors.md $(TOOL_OUT)/flags
	$(Q)sed -n -e 's/<a id="[a-z0-9]*"><.a>//; s/[\\"]/\\&/g' \
	  -e 's/^| −\([0-9]*\) | `\([A-Z_]*\)`/| -\1 | \2/' \
	  -e 's/^| [-D][0-9].*/"&",/p' $< >$@
$(TOOL_OUT)/tools/cmd/explain.c.o: $(TOOL_OUT)/errors.inc
$(TOOL_OUT)/tools/cmd/explain.c.o: private TOOL_FLAGS += -I$(TOOL_OUT)

# Files that work on large profiles.
ifeq ($(SANITIZE),)
$(TOOL_OUT)/tools/profile/%.c.o $(TOOL_OUT)/tools/show/shown_profile.c.o \
  $(TOOL_OUT)/tools/object/inflate.c.o: private TOOL_FLAGS += -O3
endif
$(TOOL_OUT)/%.c.o: %.c $(TOOL_OUT)/flags
	$(Q)$(TOOL_CC) $(TOOL_FLAGS) -MMD -MP -c $< -o $@

-include $(TOOL_OBJECTS:.o=.d)
