//===- CatalogueText.h - Catalogue.json as the build embeds it ------------===//
#ifndef TAKT_LIB_ANALYSIS_CATALOGUETEXT_H
#define TAKT_LIB_ANALYSIS_CATALOGUETEXT_H

namespace takt {

extern const char *const catalogueText;

} // namespace takt

#endif
