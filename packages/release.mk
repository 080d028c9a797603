# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make sbom, release-check. The Makefile includes this file after install.mk.

# The address of the project. Docs, packages and metadata take it from here.
PROJECT_URL ?= https://bareprof.example

SBOM = $(BUILD)/dist/bareprof-$(VERSION).spdx.json
.PHONY: sbom
sbom: ## build/dist: what a release consists of, as SPDX
	$(Q)$(MAKE) -s lib LLVM=22
	$(Q)mkdir -p $(@D) $(dir $(SBOM))
	$(Q)packages/sbom $(VERSION) $(PROJECT_URL) $(LIB) >$(SBOM).part && \
	  mv $(SBOM).part $(SBOM)
	@echo "made: $(SBOM)"

.PHONY: release-check
release-check: ## all of a release, built twice in two folders: the same bytes
	@BUILD=$(abspath $(BUILD)) packages/release-check
