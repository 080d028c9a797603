# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make sbom, release-check. Included by the Makefile, behind install.mk.

# Where the project lives: the one place for docs, packages and metadata.
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
