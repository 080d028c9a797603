# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof. `make help` lists the targets. All output goes to build/.

MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := lib

# The LLVM release of the firmware's compiler, and so of the runtime's: 13 to
# 23; of the archive also any, for objects that bring their own version word.
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
ALSO_riscv32 := $(NO_RELAX)
# Through the GOT a weak reference may be 0, wherever the code is. clang 17 and
# later use the GOT by default.
ALSO_riscv64 := $(NO_RELAX) $(if $(filter 13 14 15 16,$(LLVM)),-fpie)
ARCH := $(firstword $(subst -, ,$(TARGET)))
# $(call described,KIND): the words of packages/description of this kind.
described = $(shell sed -n 's/^$1 //p' packages/description)
comma := ,
ARCH_FLAGS := $(call described,flags $(ARCH)) $(ALSO_$(ARCH))
LIB_FLAGS ?= $(ARCH_FLAGS)

# An archive has the record layout of one release, or of all.
RELEASE = $(if $(filter any,$(LLVM)),22,$(LLVM))

# For Arm, GNU ld compares the enum attributes of objects.
ENUMS_OF_ARM := -include $(call described,enums)
# The size is what make is for: -Oz, which gcc may not know.
DESCRIBED_FLAGS := $(filter-out -Os,$(call described,compile))

# The runtime itself is never instrumented: CFLAGS is ignored.
# clang for Arm calls __aeabi_memclr4 and its like, which a firmware without a C
# library seldom has, unless this names GNU's ABI.
LIB_CC ?= clang-$(RELEASE) --target=$(TARGET) $(if $(CPU),-mcpu=$(CPU)) \
  $(if $(filter arm% thumb%,$(ARCH)),-meabi gnu)
LIB_AR ?= llvm-ar-$(RELEASE)
LIB_CFLAGS = $(LIB_FLAGS) -std=c11 -Oz $(DESCRIBED_FLAGS) \
  -Wall -Wextra -Wpedantic -Wshadow -Iinclude $(LIB_DEFINES) \
  $(if $(filter any,$(LLVM)),-DBAREPROF_ANY_VERSION) \
  $(if $(filter arm% thumb%,$(ARCH)),$(ENUMS_OF_ARM))

LIB_SOURCES := $(wildcard $(call described,sources))
# Atomics for cores without them, where the compiler calls functions. The
# interrupt mask is their lock.
M_PROFILE := $(foreach v,v6m v7m v7em v8m% v8.1m%,thumb$v arm$v)
LIB_SOURCES += $(if $(filter riscv% $(M_PROFILE),$(ARCH)), \
  $(wildcard $(call described,masked)))
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
# What is missing, before a compiler says it in its way for each file.
CHECK_COMPILER = command -v $(firstword $(LIB_CC)) >/dev/null || { \
  echo "bareprof: LLVM=$(LLVM): $(firstword $(LIB_CC)) is not there; install" \
    "it, or give LLVM= of one that is" >&2; exit 1; }; \
  $(LIB_CC) $(LIB_FLAGS) -x c -c /dev/null -o /dev/null 2>/dev/null || { \
  echo "bareprof: TARGET=$(TARGET): $(firstword $(LIB_CC)) does not know it;" \
    "use one such as thumbv7m-none-eabi, see packages/description" >&2; exit 1; }
$(LIB_OUT)/flags: FORCE
	@$(CHECK_TARGET)mkdir -p $(@D) $(sort $(dir $(LIB_OBJECTS)))
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || { $(CHECK_COMPILER); \
	  rm -f $@; echo '$(FLAGS_NOW)' > $@; }

$(LIB_OUT)/obj/%.c.o: runtime/%.c $(LIB_OUT)/flags
	$(Q)$(LIB_CC) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

# With -Oz each count would call code that the functions of this file share.
$(LIB_OUT)/obj/atomic/atomic.c.o: LIB_CFLAGS += -Os

$(LIB_OUT)/bareprof-lock-spin.o: runtime/overrides/lock_spin.c
$(LIB_OUT)/bareprof-relocate.o: runtime/overrides/relocate.c
$(BESIDE): $(LIB_OUT)/flags
	$(Q)$(LIB_CC) $(LIB_CFLAGS) -MMD -MP -MF $(@D)/obj/$(@F).d \
	  -c $(filter %.c,$^) -o $@

$(LIB_OUT)/obj/%.S.o: runtime/%.S $(LIB_OUT)/flags
	$(Q)$(LIB_CC) $(LIB_FLAGS) -MMD -MP -c $< -o $@

-include $(LIB_OBJECTS:.o=.d) $(BESIDE:$(LIB_OUT)/%=$(LIB_OUT)/obj/%.d)

.PHONY: FORCE
FORCE:

# ---- the host tool, parts for tests ---------------------------------------

# A copy without these folders still makes the archive.
-include tools/rules.mk tests/rules.mk tests/hosted/port/rules.mk

ifdef TOOL
.PHONY: tool
tool: $(TOOL) ## the host tool -> build/bareprof
	@:
endif

# ---- firmware, demo, tests -----------------------------------------------

-include targets/rules.mk

.PHONY: demo
demo: ## firmware on QEMU to a coverage report; installs what is missing
	@tests/packages demo
	@examples/coverage/demo

.PHONY: demo-live
demo-live: ## its coverage while it runs, on the terminal and as a page
	@tests/packages demo
	@examples/coverage/demo-live

.PHONY: demo-trace
demo-trace: ## the same report, without counting code: trace points, and a QEMU trace
	@tests/packages demo
	@examples/coverage/demo-trace

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
mutants: ## breaks a line at a time, which a test must notice: [FILES= COUNT=]
	@tests/packages test
	@BUILD=$(BUILD) tests/mutants/apply $(if $(FILES),--files \
	  $(or $(COUNT),20) $(FILES),$(if $(ONLY),'$(ONLY)'))

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

.PHONY: docs
docs: ## the documentation as a book -> build/docs/html; installs mkdocs
	@tests/packages docs
	@BUILD=$(BUILD) docs/book/make

.PHONY: pictures
pictures: ## the pictures of README and docs/get-started/reading-a-report, by chromium
	@docs/pictures/make

.PHONY: bench
bench: ## instructions, exact: dumps, wire, sleds, counting, gains
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
	@echo
	@tests/bench/rebuilt gains

# ---- install, releases ---------------------------------------------------

include packages/install.mk packages/release.mk

.PHONY: clean
clean: ## remove build/, except the folders of other Debians in build/releases
	@! [ -d $(BUILD) ] || find $(BUILD) -mindepth 1 -maxdepth 1 \
	  ! -name releases -exec rm -rf {} +

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' \
	  $(MAKEFILE_LIST)
