//===- Sha256.cpp - a digest that grows with what is written --------------===//
#include "takt/Bundle/Sha256.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <openssl/evp.h>

using namespace takt;

static void require(int success) {
  if (!success)
    llvm::report_fatal_error("libcrypto computes no SHA-256");
}

void Sha256::Release::operator()(evp_md_ctx_st *context) const {
  EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context(EVP_MD_CTX_new()) {
  require(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr));
}

void Sha256::update(llvm::StringRef bytes) {
  require(EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()));
}

std::string Sha256::finish() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(context.get(), digest, &length));
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest, length),
                     /*LowerCase=*/true);
}

std::string takt::sha256Hex(llvm::StringRef text) {
  Sha256 digest;
  digest.update(text);
  return digest.finish();
}
