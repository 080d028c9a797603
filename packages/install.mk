# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make install, uninstall, dist, dist-windows, deb. The Makefile includes this
# file before release.mk.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# With TARGET= on the command line or in the environment, only that one is
# installed.
INSTALL_TARGETS ?= $(if $(filter file default,$(origin TARGET)),$(shell \
  sed -n 's/^target \([^ ]*\) .*/\1/p' packages/description),$(TARGET))

# Only bareprof.h has the number of the release, with a byte for each part.
VERSION = $(eval VERSION := $(shell printf '%d.%d.%d' $$(sed -n 's/^#define \
  *BAREPROF_VERSION 0x\(..\)\(..\)\(..\)/0x\1 0x\2 0x\3/p' \
  include/bareprof.h)))$(VERSION)

INSTALL_TO = $(DESTDIR)$(PREFIX)
INSTALL_LIB = $(INSTALL_TO)/lib/bareprof/llvm-$(LLVM)
# The list of all files, relative to the prefix, which `make uninstall` removes.
INSTALLED = $(INSTALL_TO)/share/bareprof/installed
# The path, below its resource folder, at which this clang looks for its own
# profile runtime. make asks for the path of the builtins, because clang before
# 23 has no profile runtime for bare metal.
RUNTIME_OF = $(shell clang-$(LLVM) --target=$(TARGET) --rtlib=compiler-rt \
  -print-libgcc-file-name)
RESOURCE_OF = $(shell clang-$(LLVM) -print-resource-dir)
RESOURCE_NAME = lib/clang/$(notdir $(RESOURCE_OF))$(subst \
  libclang_rt.builtins,libclang_rt.profile,$(subst \
  $(RESOURCE_OF),,$(RUNTIME_OF)))

# $(call put,FOLDER,FILES): copies the files to a folder below the prefix.
put = mkdir -p $(INSTALL_TO)/$1 $(dir $(INSTALLED)) && \
  cp $2 $(INSTALL_TO)/$1/ && \
  for file in $(notdir $2); do echo $1/$$file; done >>$(INSTALLED)
# $(call put_as,NAME): writes standard input to that file below the prefix.
put_as = { mkdir -p $(dir $(INSTALL_TO)/$1) $(dir $(INSTALLED)) && \
  cat >$(INSTALL_TO)/$1 && echo $1 >>$(INSTALLED); }

.PHONY: install
install: install-archives install-tool install-packages
install: ## to PREFIX=, DESTDIR=: [INSTALL_TARGETS= LLVM=]
	$(Q)sort -u $(INSTALLED) -o $(INSTALLED)
	@echo "installed: bareprof $(VERSION) in $(INSTALL_TO)"

# make is silent while it compiles.
.PHONY: install-tool announce-tool
announce-tool:
	@[ -x $(TOOL) ] || echo "compiling the tool, for 1 to 2 minutes; -j is faster"
install-tool: announce-tool tool ## the host tool alone: enough for bareprof cc, run --gdb
	$(Q)$(call put,bin,$(TOOL) tools/bareprof-mip-cc)
	$(Q)ln -sf bareprof $(INSTALL_TO)/bin/bareprof-cc && \
	  echo bin/bareprof-cc >>$(INSTALLED)
	$(Q)rm -rf $(BUILD)/man && mkdir -p $(BUILD)/man && \
	  $(TOOL) help --man -o $(BUILD)/man
	$(Q)mkdir -p $(INSTALL_TO)/share/man/man1 && \
	  cp $(BUILD)/man/*.1 $(INSTALL_TO)/share/man/man1/ && \
	  (cd $(BUILD)/man && printf 'share/man/man1/%s\n' *.1) >>$(INSTALLED)
	$(Q)$(TOOL) help --completion bash | \
	  $(call put_as,share/bash-completion/completions/bareprof)
	$(Q)$(TOOL) help --completion zsh | \
	  $(call put_as,share/zsh/site-functions/_bareprof)
	$(Q)$(TOOL) help --completion fish | \
	  $(call put_as,share/fish/vendor_completions.d/bareprof.fish)
	@echo "installed: the host tool in $(INSTALL_TO)/bin"

.PHONY: install-packages
install-packages:
	$(Q)$(call put,include/bareprof,$(wildcard include/*.h))
	$(Q)$(call put,include/bareprof/profile,$(wildcard include/profile/*.h))
	$(Q)$(call put,share/bareprof,$(wildcard linker-scripts/*.ld) \
	  linker-scripts/for-lld.awk linker-scripts/README.md \
	  packages/freertos/freertos.list)
	$(Q)$(call put,lib/cmake/bareprof,packages/description \
	  packages/cmake/bareprofConfig.cmake \
	  packages/cmake/bareprofTarget.cmake \
	  packages/cmake/bareprofFunctions.cmake)
	$(Q)sed 's|@VERSION@|$(VERSION)|' packages/cmake/version.cmake.in | \
	  $(call put_as,lib/cmake/bareprof/bareprofConfigVersion.cmake)

# Each target has one archive, with bareprof's name and with compiler-rt's.
.PHONY: install-archives
install-archives:
	$(Q)set -e; n=0; for target in $(INSTALL_TARGETS); do n=$$((n + 1)); \
	  $(MAKE) -s -j$(JOBS) lib TARGET=$$target; \
	  $(MAKE) -s install-archive TARGET=$$target; \
	  echo "installed: $$target, LLVM $(LLVM)" \
	    "($$n of $(words $(INSTALL_TARGETS)))"; \
	done

.PHONY: install-archive
install-archive:
	$(Q)$(call put,lib/bareprof/llvm-$(LLVM)/$(TARGET),$(LIB) $(BESIDE))
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@LLVM@|$(LLVM)|' \
	  -e 's|@TARGET@|$(TARGET)|; s|@VERSION@|$(VERSION)|' \
	  -e 's|@URL@|$(PROJECT_URL)|' \
	  -e 's|@MEASURED@|$(strip $(call described,measured) \
	    $(call described,measured-$(LLVM)))|' \
	  -e 's|@LINK@|$(call described,link)|' \
	  -e 's|@DRIVER@|$(addprefix -Wl$(comma),$(call described,link))|' \
	  packages/pkgconfig/bareprof.pc.in | \
	  $(call put_as,share/pkgconfig/bareprof-$(TARGET).pc)
	$(Q)cat $(LIB) | $(call put_as,$(RESOURCE_NAME))

.PHONY: uninstall
uninstall: ## removes what make install has put to PREFIX=
	$(Q)test -f $(INSTALLED) || { echo "bareprof: $(INSTALLED): is not" \
	  "there; give the PREFIX of make install" >&2; exit 1; }
	$(Q)cd $(INSTALL_TO) && while read -r file; do \
	  rm -f "$$file"; folder=$$(dirname "$$file"); \
	  while [ "$$folder" != . ] && rmdir "$$folder" 2>/dev/null; do \
	    folder=$$(dirname "$$folder"); done; \
	done <share/bareprof/installed; \
	rm -f share/bareprof/installed; \
	rmdir -p share/bareprof 2>/dev/null || :
	@echo "removed: bareprof from $(INSTALL_TO)"

# ---- releases ------------------------------------------------------------

DIST = $(BUILD)/dist/bareprof-$(VERSION)
# Meson's wrap downloads the tarball from this address.
DIST_URL ?= file://$(abspath $(DIST).tar.gz)

# The tarball has the committed files, with the time of the commit: the same
# bytes each time.
.PHONY: dist
dist: ## build/dist: tarball of this commit, part of CHANGELOG, wrap
	$(Q)mkdir -p $(BUILD)/dist
	$(Q)git archive --format=tar --prefix=bareprof-$(VERSION)/ HEAD | \
	  gzip -9n >$(DIST).tar.gz.part && mv $(DIST).tar.gz.part $(DIST).tar.gz
	$(Q)awk '/^## / { on = $$2 == "$(VERSION)"; next } on' CHANGELOG.md \
	  >$(DIST).changes
	$(Q)test -s $(DIST).changes || { echo "bareprof: CHANGELOG.md: it has no" \
	  "part for $(VERSION); write one" >&2; exit 1; }
	$(Q)rm -rf $(BUILD)/dist/meson && cp -r packages/meson $(BUILD)/dist/meson
	$(Q)sed -e 's|@VERSION@|$(VERSION)|; s|@URL@|$(DIST_URL)|' \
	  -e "s|@HASH@|$$(sha256sum <$(DIST).tar.gz | cut -d ' ' -f 1)|" \
	  packages/meson/bareprof.wrap >$(BUILD)/dist/meson/bareprof.wrap
	@cd $(BUILD)/dist && sha256sum $(notdir $(DIST)).tar.gz

# Entries of the zip have the time of the commit, in UTC.
COMMIT_TIME = $(shell git log -1 --format=@%ct 2>/dev/null || echo @0)

# The zip for Windows has the tool, headers, archives, linker scripts, and
# CMake's files.
WINDOWS_HOST ?= x86_64-w64-mingw32
WINDOWS_DIST = bareprof-$(VERSION)-windows
WINDOWS_OUT = $(abspath $(BUILD))/dist/windows
.PHONY: dist-windows
dist-windows: ## build/dist: the same for Windows, as a zip
	$(Q)rm -rf $(WINDOWS_OUT) $(BUILD)/dist/$(WINDOWS_DIST).zip
	$(Q)$(MAKE) -s tool HOST=$(WINDOWS_HOST)
	$(Q)$(MAKE) -s install-archives install-packages \
	  DESTDIR=$(WINDOWS_OUT) PREFIX=/$(WINDOWS_DIST)
	$(Q)mkdir -p $(WINDOWS_OUT)/$(WINDOWS_DIST)/bin && \
	  cd $(WINDOWS_OUT)/$(WINDOWS_DIST) && rm -rf lib/clang share/pkgconfig \
	  share/bareprof/installed && cp $(CURDIR)/LICENSE \
	  $(CURDIR)/docs/how-to/windows.md . && $(WINDOWS_HOST)-strip -p \
	  -o bin/bareprof.exe $(abspath $(BUILD))/bareprof.exe && \
	  cp bin/bareprof.exe bin/bareprof-cc.exe
	$(Q)cd $(WINDOWS_OUT) && find . -exec touch -d "$(COMMIT_TIME)" {} + && \
	  TZ=UTC python3 -m zipfile -c ../$(WINDOWS_DIST).zip $(WINDOWS_DIST)
	@echo "made: $(BUILD)/dist/$(WINDOWS_DIST).zip"

.PHONY: deb
deb: dist ## build/deb: Debian packages of the tarball
	$(Q)rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	$(Q)cp $(DIST).tar.gz $(BUILD)/deb/bareprof_$(VERSION).orig.tar.gz
	$(Q)tar -C $(BUILD)/deb -xf $(DIST).tar.gz
	$(Q)cp -r $(BUILD)/deb/bareprof-$(VERSION)/packages/debian \
	  $(BUILD)/deb/bareprof-$(VERSION)/
	$(Q)sed -i 's|@URL@|$(PROJECT_URL)|' \
	  $(BUILD)/deb/bareprof-$(VERSION)/debian/control
	$(Q)cd $(BUILD)/deb/bareprof-$(VERSION) && env -u MAKEFLAGS -u BUILD \
	  dpkg-buildpackage -b -us -uc -d >../build.log 2>&1 || \
	  { tail -n 5 ../build.log >&2; exit 1; }
	@ls $(BUILD)/deb/*.deb
