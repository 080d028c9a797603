# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The top Makefile includes this file: `make firmware` compiles and links a
# program for a board, `make run` runs it in QEMU (targets/run). README.md here
# says how to call them, and BOARD/board.mk has the data of a board.

BOARD :=
ifneq ($(BOARD),)
BOARD_FOLDER := targets/$(BOARD)
ifeq ($(wildcard $(BOARD_FOLDER)/board.mk),)
$(error there is no board $(BOARD); the boards are the folders of targets/)
endif
include $(BOARD_FOLDER)/board.mk
endif

# The variables that a caller may set, with their defaults.
LINKER := lld# lld, gnu
SCRIPT := full# full, lean, packed: the script of bareprof; none: no line of it
GC := 1# 0: keep what nothing calls
NAME := firmware
OUT ?= $(BUILD)/llvm-$(LLVM)/boards/$(BOARD)
SOURCES :=# compiled with PROFILE: .c .cpp .S, or .o as they are
PLAIN :=# the same without PROFILE
PROFILE :=
LAUNCHER :=# before the compiler of SOURCES, for example build/bareprof cc
MEMORY := targets/memory.c# empty: a C library has memcpy and the like
CFLAGS_APP := -O1 -g
LDFLAGS_APP :=
BESIDE_APP :=# relocate, lock-spin: objects that the archive does not have

# ---- Compiling ----

BOARD_CC = clang-$(LLVM) --target=$(BOARD_TARGET) \
  $(addprefix -mcpu=,$(BOARD_CPU)) $(BOARD_FLAGS) $(BOARD_RELAX) $(BOARD_RELEASE) \
  $(BOARD_DWARF) $(BOARD_DEFINES) -Iinclude -Itargets -nostdlibinc \
  -ffunction-sections -fdata-sections

# The Makefile explains NO_RELAX. GNU ld 2.40 crashes on a relocation of DWARF 5
# (SET_ULEB128) that clang 19 writes; clang 22 writes it for relaxation.
ifneq ($(filter riscv%,$(BOARD_TARGET)),)
BOARD_RELAX := $(NO_RELAX)
ifeq ($(LINKER),gnu)
BOARD_DWARF := -fdebug-default-version=4
endif
endif

BOARD_RELEASE := $(call described,measured-$(LLVM))

# C++ is not compiled with -ffreestanding, which would mangle the name of main.
BOARD_C := -std=c11 -ffreestanding
BOARD_CXX := -std=c++17 -fno-exceptions -fno-rtti -fno-use-cxa-atexit \
  -fno-threadsafe-statics

# Start-up and drivers are compiled once for a board, compiler and linker.
BOARD_OUT = $(BUILD)/llvm-$(LLVM)/boards/$(BOARD)-$(LINKER)
BOARD_SOURCES = targets/start.c $(MEMORY) targets/uart/$(BOARD_UART).c \
  $(wildcard $(addprefix targets/arch/$(BOARD_ARCH),.c .S))
BOARD_OBJECTS = $(patsubst targets/%,$(BOARD_OUT)/%.o,$(BOARD_SOURCES))
BOARD_DEPENDS = $(wildcard targets/*.h targets/arch/*.h include/*.h) \
  $(BOARD_FOLDER)/board.mk targets/rules.mk

$(BOARD_OUT)/%.o: targets/% $(BOARD_DEPENDS)
	@mkdir -p $(@D)
	$(Q)$(BOARD_CC) $(if $(filter %.c,$<),$(BOARD_C) -fno-builtin) \
	  -Wall -Wextra -Os -g -c $< -o $@

# make does not see when flags change, so it compiles the program each time.
# Objects have the name of the source without its folder.
APP_OUT = $(OUT)/$(NAME).objects
APP_ALL = $(SOURCES) $(PLAIN)
APP_OBJECTS = $(filter %.o,$(APP_ALL)) \
  $(patsubst %,$(APP_OUT)/%.o,$(notdir $(filter-out %.o,$(APP_ALL))))

$(APP_OUT):
	@mkdir -p $@

define app_rule
$(APP_OUT)/$(notdir $1).o: $1 FORCE | $(APP_OUT)
	$$(Q)$(if $2,$$(LAUNCHER)) $$(BOARD_CC) $(if $(filter %.c,$1),$$(BOARD_C)) \
	  $(if $(filter %.cpp,$1),$$(BOARD_CXX)) $2 $$(CFLAGS_APP) \
	  -c $1 -o $$@
endef
ifneq ($(BOARD),)
$(foreach s,$(filter-out %.o,$(SOURCES)),\
  $(eval $(call app_rule,$s,$$(PROFILE))))
$(foreach s,$(filter-out %.o,$(PLAIN)),$(eval $(call app_rule,$s,)))
endif

# ---- Linking ----

GNU_LD_aarch64 := aarch64-linux-gnu-ld
GNU_LD_arm := arm-none-eabi-ld
GNU_LD_riscv32 := riscv64-unknown-elf-ld -m elf32lriscv
GNU_LD_riscv64 := riscv64-unknown-elf-ld -m elf64lriscv
BOARD_FAMILY = $(patsubst armeb%,arm,$(patsubst thumb%,arm,$(patsubst \
  armv%,arm,$(firstword $(subst -, ,$(BOARD_TARGET))))))
GNU_LD = $(or $(GNU_LD_$(BOARD_FAMILY)),$(error no GNU ld for $(BOARD)))
LD_gnu = $(GNU_LD) --no-warn-rwx-segments
# RELRO is for loaders. It needs certain sections next to each other, but boards
# place these in different memories.
LD_lld = ld.lld-$(LLVM) -z norelro
BOARD_LD = $(or $(LD_$(LINKER)),$(error LINKER is lld or gnu))

# A caller who sets BOARD_SCRIPT= also sets FRAGMENT=, or SCRIPT=none.
BOARD_SCRIPT ?= $(BOARD_FOLDER)/board.ld
FRAGMENT_full := INCLUDE bareprof.ld
FRAGMENT_lean := INCLUDE bareprof-lean.ld
FRAGMENT_packed := INCLUDE bareprof-packed.ld
FRAGMENT_none := /* Nothing of bareprof. */
FRAGMENT ?= $(or $(FRAGMENT_$(SCRIPT)),$(error \
  SCRIPT is full, lean, packed or none))

LIBRARY = $(BUILD)/llvm-$(LLVM)/$(BOARD_TARGET)/libbareprof.a

FIRMWARE_PARTS = $(if $(BOARD),firmware-board $(APP_OBJECTS) | $(APP_OUT))

# -L stands before -T, for GNU ld. The build id needs the fragment: without it,
# the linker may place the note before the vectors.
firmware: $(FIRMWARE_PARTS) ## compile and link one: BOARD= SOURCES= OUT= ...
	$(if $(BOARD),,$(error firmware needs BOARD=, one of targets/))
	@echo '$(FRAGMENT)' >$(APP_OUT)/fragment.ld
	$(Q)$(BOARD_LD) -L $(APP_OUT) -L targets -L linker-scripts \
	  -T $(BOARD_SCRIPT) $(BOARD_LDFLAGS) -z max-page-size=4096 \
	  $(if $(filter-out 0,$(GC)),--gc-sections) \
	  $(if $(filter-out none,$(SCRIPT)),--build-id) $(LDFLAGS_APP) \
	  $(BOARD_OBJECTS) $(APP_OBJECTS) \
	  $(BESIDE_APP:%=$(dir $(LIBRARY))bareprof-%.o) $(LIBRARY) \
	  -o $(OUT)/$(NAME).elf

# The archive, start-up and drivers, which all programs for a board share.
firmware-board: $(if $(BOARD),firmware-library $(BOARD_OBJECTS))
	@:

# A separate make builds the library, without the variables of the program. With
# LIBRARY_READY=1, an archive that exists counts as up to date.
firmware-library:
	@$(if $(and $(LIBRARY_READY),$(wildcard $(LIBRARY))),:,MAKEFLAGS= $(MAKE) \
	  -s --no-print-directory lib BUILD=$(BUILD) LLVM=$(LLVM) \
	  TARGET=$(BOARD_TARGET))

# ---- Running ----

DIR := .
TIMEOUT := 30
QEMU_FLAGS :=

run: ## run one: BOARD= IMAGE= [DIR= QEMU_FLAGS= TIMEOUT=]
	@TIMEOUT=$(TIMEOUT) targets/run $(BOARD) $(IMAGE) $(DIR) $(QEMU_FLAGS)

.PHONY: firmware firmware-board firmware-library run
