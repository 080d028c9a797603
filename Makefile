# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof. `make help` lists the targets. All output goes to build/.

MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := lib

# The LLVM release of the firmware's compiler, and so of the runtime's: 13 to
# 22; of the archive also any, for objects that bring their own version word.
ifeq ($(LLVM),)
LLVM := 22
else
LLVM_GIVEN := LLVM=$(LLVM)
endif
# The target of the archive, as clang names it, and optionally the CPU.
TARGET ?= thumbv7m-none-eabi
CPU ?=
BUILD ?= build
V ?=
Q := $(if $(V),,@)

# ---- the archive ---------------------------------------------------------

LIB_OUT = $(BUILD)/llvm-$(LLVM)/$(TARGET)
LIB = $(LIB_OUT)/libbareprof.a

# Defaults per architecture; LIB_FLAGS replaces them. lld cannot relax RISC-V
# code before release 15. A-profile code may run with the MMU off, where
# unaligned accesses fault.
NO_RELAX := $(if $(filter 13 14,$(LLVM)),-mno-relax)
ARCH_FLAGS_riscv32 := -march=rv32imac -mabi=ilp32 $(NO_RELAX)
# Through the GOT a weak reference may be 0, wherever the code is. clang 17 and
# later use the GOT by default.
BY_GOT := $(if $(filter 13 14 15 16,$(LLVM)),-fpie)
ARCH_FLAGS_riscv64 := -march=rv64imac -mabi=lp64 -mcmodel=medany $(NO_RELAX) \
  $(BY_GOT)
ARCH_FLAGS_aarch64 := -mgeneral-regs-only -mstrict-align
ARCH_FLAGS_aarch64_be := $(ARCH_FLAGS_aarch64)
ARCH_FLAGS_armv7a := -marm -mno-unaligned-access
ARCH_FLAGS_armebv7a := $(ARCH_FLAGS_armv7a)
ARCH := $(firstword $(subst -, ,$(TARGET)))
LIB_FLAGS ?= $(ARCH_FLAGS_$(ARCH))

# An archive has the record layout of one release, or of all.
RELEASE = $(if $(filter any,$(LLVM)),22,$(LLVM))

# For Arm, GNU ld compares the enum attributes of objects.
ENUMS_OF_ARM := -include runtime/arch/enums.h

# The runtime itself is never instrumented: CFLAGS is ignored.
LIB_CC ?= clang-$(RELEASE) --target=$(TARGET) $(if $(CPU),-mcpu=$(CPU))
LIB_AR ?= llvm-ar-$(RELEASE)
LIB_CFLAGS = $(LIB_FLAGS) -std=c11 -Oz -ffreestanding -ffunction-sections \
  -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables \
  -Wall -Wextra -Wpedantic -Wshadow -Iinclude $(LIB_DEFINES) \
  $(if $(filter any,$(LLVM)),-DBAREPROF_ANY_VERSION) \
  $(if $(filter arm% thumb%,$(ARCH)),$(ENUMS_OF_ARM))

LIB_SOURCES := $(wildcard runtime/*.c runtime/fold/*.c runtime/retain/*.c \
  runtime/arch/*.c runtime/arch/*.S)
# Atomics for cores without them, where the compiler calls functions. The
# interrupt mask is their lock.
M_PROFILE := $(foreach v,v6m v7m v7em v8m% v8.1m%,thumb$v arm$v)
LIB_SOURCES += $(if $(filter riscv% $(M_PROFILE),$(ARCH)), \
  $(wildcard runtime/atomic/*.c))
# Objects beside the archive replace a member: counters in another RAM; the lock
# for several cores, if the core can swap a word: Arm from v7-M on, RISC-V with
# A.
SPIN_FOR := $(filter-out %v6m,$(M_PROFILE)) \
  $(foreach x,32ima 32g 64ima 64g,-march=rv$x%)
BESIDE = $(LIB_OUT)/bareprof-relocate.o \
  $(if $(filter $(SPIN_FOR),$(ARCH) $(LIB_FLAGS)), \
  $(LIB_OUT)/bareprof-lock-spin.o)
LIB_OBJECTS = $(patsubst runtime/%,$(LIB_OUT)/obj/%.o,$(LIB_SOURCES))

# arm-none-eabi alone is ARMv4T in ARM state, which a Cortex-M cannot run: the
# linker accepts it, and the board is dead.
VAGUE = $(if $(filter -mcpu=% -march=%,$(LIB_CC) $(LIB_FLAGS)),,$(filter \
  arm thumb armeb thumbeb,$(ARCH)))
ifneq ($(VAGUE),)
$(LIB_OUT)/flags: CHECK_TARGET = $(error TARGET=$(TARGET) names no \
  architecture; use one such as thumbv7m-none-eabi, or give CPU= too)
endif

.PHONY: lib
lib: $(LIB) $(BESIDE) ## the archive in build/llvm-N: LLVM= TARGET= [CPU=]
	@:

$(LIB): $(LIB_OBJECTS)
	$(Q)rm -f $@
	$(Q)$(LIB_AR) rcs $@ $(LIB_OBJECTS)

# Another CPU or option in the same folder causes a rebuild.
FLAGS_NOW = $(LIB_CC) $(LIB_CFLAGS)
$(LIB_OUT)/flags: FORCE
	@$(CHECK_TARGET)mkdir -p $(@D) $(sort $(dir $(LIB_OBJECTS)))
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || \
	  { rm -f $@; echo '$(FLAGS_NOW)' > $@; }

$(LIB_OUT)/obj/%.c.o: runtime/%.c $(LIB_OUT)/flags
	$(Q)$(LIB_CC) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

$(LIB_OUT)/bareprof-lock-spin.o: runtime/beside/lock_spin.c
$(LIB_OUT)/bareprof-relocate.o: runtime/beside/relocate.c
$(BESIDE): $(LIB_OUT)/flags
	$(Q)$(LIB_CC) $(LIB_CFLAGS) -MMD -MP -c $(filter %.c,$^) -o $@

$(LIB_OUT)/obj/%.S.o: runtime/%.S $(LIB_OUT)/flags
	$(Q)$(LIB_CC) $(LIB_FLAGS) -MMD -MP -c $< -o $@

-include $(LIB_OBJECTS:.o=.d) $(BESIDE:.o=.d)

.PHONY: FORCE
FORCE:

# ---- the hosted port -----------------------------------------------------

# For this machine, under the name of compiler-rt's archive, without the parts
# that are for targets only.
HOSTED_OUT = $(BUILD)/llvm-$(LLVM)/x86_64-pc-linux-gnu
HOSTED = $(HOSTED_OUT)/libclang_rt.profile-x86_64.a
HOSTED_SOURCES := $(wildcard runtime/hosted/*.c) $(filter-out \
  $(addprefix runtime/,abi_buffer.c abi_emutls.c abi_objects.c abi_unwind.c \
  image_sections.c start_preinit.c values.c), \
  $(wildcard runtime/*.c))
HOSTED_OBJECTS = $(HOSTED_SOURCES:runtime/%=$(HOSTED_OUT)/hosted/%.o)
HOSTED_CC = clang-$(LLVM) --target=x86_64-pc-linux-gnu -std=c11 -O2 -fPIC \
  -fvisibility=hidden -ffunction-sections -fdata-sections \
  -D_POSIX_C_SOURCE=200809L -DBAREPROF_ANY_VERSION -Wall -Wextra -Wpedantic \
  -Wshadow -Iinclude

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

-include $(HOSTED_OBJECTS:.o=.d)

# ---- the host tool -------------------------------------------------------

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
  -fsanitize=$(SANITIZE) -fno-sanitize-recover=all \
  $(if $(COVERAGE),-fprofile-instr-generate -fcoverage-mapping)
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
TOOL_CFLAGS = $(HOST_CFLAGS)
else
TOOL_CC = clang-$(LLVM_HOST)
TOOL_CFLAGS = -gline-tables-only $(SANITIZED_LEVEL) -Werror \
  $(call SANITIZED,$(TOOL_CC))
endif
TOOL_FLAGS = $(TOOL_CFLAGS) -std=c11 -D_POSIX_C_SOURCE=200809L \
  -DBAREPROF_FOREIGN -Wall -Wextra -Wpedantic -Wshadow -Iinclude -Iruntime \
  $(if $(WINDOWS),$(WINDOWS_FLAGS))
# Windows 7 and later; printf as in C11.
WINDOWS_FLAGS := -D_WIN32_WINNT=0x0601 -D__USE_MINGW_ANSI_STDIO=1 \
  -DPRINTS_STYLE=gnu_printf
# The parts of the runtime for images of other machines, and the frames.
FOREIGN_SOURCES := $(addprefix runtime/,image_layout.c image_rows.c \
  profraw_status.c profraw_write.c values_write.c wire_crc32.c wire_frame.c \
  wire_text.c)
# The files of other systems stay out.
TOOL_SOURCES := $(FOREIGN_SOURCES) $(filter-out \
  tools/base/os_$(if $(WINDOWS),posix,windows)%, \
  $(wildcard $(if $(PARTS),$(PARTS:%=tools/%/*.c) $(PARTS:%=tools/%/*/*.c) \
  tools/cmd/*.c,tools/*/*.c tools/*/*/*.c)))
TOOL_OBJECTS = $(TOOL_SOURCES:%=$(TOOL_OUT)/%.o)
TOOL_MAIN = $(TOOL_OUT)/tools/cmd/main.c.o

.PHONY: tool
tool: $(TOOL) ## the host tool -> build/bareprof
	@:

# The whole tool except main, for tests to link. Prints the archive's name.
.PHONY: tool-archive
tool-archive: $(TOOL_LIB)
	@echo $<

$(TOOL): $(TOOL_MAIN) $(TOOL_LIB)
	$(Q)$(TOOL_CC) $(TOOL_CFLAGS) -pthread $^ -o $@ \
	  $(if $(WINDOWS),-static -lws2_32 -lshell32)

# Members of the same name stand next to each other: q does not replace.
$(TOOL_LIB): $(filter-out $(TOOL_MAIN),$(TOOL_OBJECTS))
	$(Q)rm -f $@
	$(Q)$(HOST_AR) qcs $@ $^

$(TOOL_OUT)/flags: FORCE
	@mkdir -p $(@D) $(sort $(dir $(TOOL_OBJECTS)))
	@echo '$(TOOL_CC) $(TOOL_FLAGS) $(TOOL_SOURCES)' | cmp -s - $@ || \
	  { rm -f $@; echo '$(TOOL_CC) $(TOOL_FLAGS) $(TOOL_SOURCES)' > $@; }

# Files that work on large profiles.
ifeq ($(SANITIZE),)
$(TOOL_OUT)/tools/profile/%.c.o $(TOOL_OUT)/tools/show/shown.c.o \
  $(TOOL_OUT)/tools/object/inflate.c.o: private TOOL_FLAGS += -O3
endif
$(TOOL_OUT)/%.c.o: %.c $(TOOL_OUT)/flags
	$(Q)$(TOOL_CC) $(TOOL_FLAGS) -MMD -MP -c $< -o $@

-include $(TOOL_OBJECTS:.o=.d)

# ---- the runtime for tests on this machine -------------------------------

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

# ---- firmware, demo, tests -----------------------------------------------

-include targets/rules.mk

.PHONY: demo
demo: ## firmware on QEMU to a coverage report; installs what is missing
	@tests/packages demo
	@examples/coverage/demo

.PHONY: pgo
pgo: ## the PGO example: instructions before and after
	@tests/packages pgo
	@examples/pgo/run

.PHONY: check
check: ## what proves most in a minute: host tests, and one board
	@tests/packages pgo
	@$(LLVM_GIVEN) MAKEFLAGS= tests/run check

.PHONY: test
test: ## all tiers, in minutes: [LLVM=N] one release only; installs packages
	@tests/packages test
	@$(LLVM_GIVEN) MAKEFLAGS= tests/run test

.PHONY: test-full
test-full: ## every row, mode and long form, in about an hour: [LLVM=N]
	@tests/packages full
	@$(LLVM_GIVEN) MAKEFLAGS= tests/run full

.PHONY: mutants
mutants: ## breaks a line at a time, which a test must notice: [ONLY=pattern]
	@tests/packages test
	@BUILD=$(BUILD) tests/mutants/apply $(if $(ONLY),'$(ONLY)')

.PHONY: qualification
qualification: ## a record of all claims: their tests, and faults these notice
	@tests/packages test
	@BUILD=$(BUILD) MAKEFLAGS= tests/qualification/record

.PHONY: size
size: ## bytes of code, data and stack, next to the budgets
	@tests/size/run table

.PHONY: fuzz
FUZZ_RUNS ?= 1000000
fuzz: ## a million runs of each fuzz target: [FUZZ_RUNS=1000000]
	@tests/packages test
	@FUZZ_RUNS=$(FUZZ_RUNS) SANITIZED_LEVEL=-O1 tests/fuzz/run
	@FUZZ_RUNS=$(FUZZ_RUNS) SANITIZED_LEVEL=-O1 FUZZ_SANITIZERS=memory \
	  BUILD=$(BUILD)/memory tests/fuzz/run

.PHONY: pictures
pictures: ## the pictures of README and docs/report, by chromium
	@docs/pictures/make

.PHONY: bench
bench: ## instructions, exact: dumps, bytes on the wire, sleds, counting
	@tests/packages test
	@tests/bench/table
	@echo
	@tests/bench/wire
	@echo
	@tests/join/bench
	@echo
	@$(MAKE) -s tool
	@tests/bench/mip
	@echo
	@tests/bench/mip loads
	@echo
	@OPTIMISE=-Os tests/bench/narrow demo examples/coverage 0.2.0 HEAD

# ---- install, releases ---------------------------------------------------

include packages/install.mk

.PHONY: clean
clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' \
	  $(MAKEFILE_LIST)
