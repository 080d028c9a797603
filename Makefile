# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# bareprof. `make help` lists what there is. Everything made goes to build/.

MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := lib

# The compiler of the firmware, so of the runtime: 13 to 22.
LLVM ?= 22
# What the archive is for, as clang names it, and optionally the CPU.
TARGET ?= thumbv7m-none-eabi
CPU ?=
BUILD ?= build
V ?=
Q := $(if $(V),,@)

# ---- the archive ---------------------------------------------------------

OUT = $(BUILD)/llvm-$(LLVM)/$(TARGET)
LIB = $(OUT)/libbareprof.a

# Defaults per architecture; LIB_FLAGS replaces them.
ARCH_FLAGS_riscv32 := -march=rv32imac -mabi=ilp32
ARCH_FLAGS_riscv64 := -march=rv64imac -mabi=lp64 -mcmodel=medany
ARCH_FLAGS_aarch64 := -mgeneral-regs-only
ARCH_FLAGS_aarch64_be := -mgeneral-regs-only
ARCH_FLAGS_armv7a := -marm
ARCH_FLAGS_armebv7a := -marm
ARCH := $(firstword $(subst -, ,$(TARGET)))
LIB_FLAGS ?= $(ARCH_FLAGS_$(ARCH))

# The runtime itself is never instrumented: CFLAGS is not looked at.
LIB_CC ?= clang-$(LLVM) --target=$(TARGET) $(if $(CPU),-mcpu=$(CPU))
LIB_AR ?= llvm-ar-$(LLVM)
LIB_CFLAGS = $(LIB_FLAGS) -std=c11 -Oz -ffreestanding -ffunction-sections \
  -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables \
  -Wall -Wextra -Wpedantic -Wshadow -Iinclude -Iruntime $(LIB_DEFINES)

LIB_SOURCES := $(wildcard runtime/*.c runtime/arch/*.c runtime/arch/*.S)
# 64-bit atomics where the core has none and the compiler calls for them.
LIB_SOURCES += $(if $(filter thumb% riscv32%,$(ARCH)), \
  $(filter-out %/lock_spin.c,$(wildcard runtime/atomic/*.c)))
LIB_OBJECTS = $(patsubst runtime/%,$(OUT)/obj/%.o,$(LIB_SOURCES))

.PHONY: lib
lib: $(LIB) ## build the archive: LLVM= TARGET= [CPU=] -> build/llvm-N/TARGET
	@:

$(LIB): $(LIB_OBJECTS)
	$(Q)rm -f $@
	$(Q)$(LIB_AR) rcs $@ $(LIB_OBJECTS)

# Another CPU or option in the same folder builds anew.
FLAGS_NOW = $(LIB_CC) $(LIB_CFLAGS)
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS_NOW)' | cmp -s - $@ || echo '$(FLAGS_NOW)' > $@

$(OUT)/obj/%.c.o: runtime/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(Q)$(LIB_CC) $(LIB_CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/obj/%.S.o: runtime/%.S $(OUT)/flags
	@mkdir -p $(@D)
	$(Q)$(LIB_CC) $(LIB_FLAGS) -MMD -MP -c $< -o $@

-include $(LIB_OBJECTS:.o=.d)

.PHONY: FORCE
FORCE:

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

.PHONY: test
test: ## all tests: [LLVM=N] one release only; installs what is missing
	@tests/packages test
	@LLVM="$(if $(filter command line environment,$(origin LLVM)),$(LLVM))" \
	  tests/run

.PHONY: size
size: ## bytes of code, data and stack, next to the budgets
	@tests/size/run table

# ---- install -------------------------------------------------------------

PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_TARGETS ?= thumbv6m-none-eabi thumbv7m-none-eabi \
  thumbv7em-none-eabi thumbv8m.main-none-eabi thumbv8.1m.main-none-eabi \
  armv7a-none-eabi aarch64-none-elf riscv32-none-elf riscv64-none-elf

.PHONY: install
install: ## headers, archives, linker scripts to PREFIX=, for LLVM=
	@tests/../tools/install-files '$(LLVM)' '$(DESTDIR)$(PREFIX)' \
	  '$(PREFIX)' $(INSTALL_TARGETS)

.PHONY: clean
clean: ## remove build/
	rm -rf $(BUILD)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' \
	  $(MAKEFILE_LIST)
