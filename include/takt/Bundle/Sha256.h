//===- Sha256.h - a digest that grows with what is written ----------------===//
#ifndef TAKT_BUNDLE_SHA256_H
#define TAKT_BUNDLE_SHA256_H

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

struct evp_md_ctx_st;

namespace takt {

/// SHA-256 by libcrypto, which the runtime checks with as well. LLVM's own
/// counts bytes in 32 bits of bits: it is wrong from 512 MiB on.
class Sha256 {
public:
  Sha256();
  void update(llvm::StringRef bytes);
  /// The digest of all bytes so far in lower-case hex; nothing may follow.
  std::string finish();

private:
  struct Release {
    void operator()(evp_md_ctx_st *context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Release> context;
};

/// Lower-case hex of the SHA-256 of `text`.
std::string sha256Hex(llvm::StringRef text);

} // namespace takt

#endif
