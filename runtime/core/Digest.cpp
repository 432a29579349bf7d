#include "runtime/core/Digest.h"

#include <openssl/evp.h>

namespace takt::runtime {

std::string sha256(const void *data, size_t bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  if (!EVP_Digest(data, bytes, digest, &length, EVP_sha256(), nullptr))
    return std::string(); // equals no digest
  std::string text;
  for (unsigned int i = 0; i < length; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

} // namespace takt::runtime
