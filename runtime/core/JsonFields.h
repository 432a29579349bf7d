/// Reads a JSON object by Protocol Buffers' mapping: absent fields keep their
/// defaults, 64-bit integers are strings, unknown fields are errors.
#ifndef TAKT_RUNTIME_CORE_JSONFIELDS_H
#define TAKT_RUNTIME_CORE_JSONFIELDS_H

#include "runtime/core/Dtype.h"
#include "runtime/core/Status.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace takt::runtime {

class JsonFields {
public:
  /// `where` names the object in messages; the first error goes to `status`.
  JsonFields(const nlohmann::json &object, std::string where, Status &status);

  void read(const char *key, std::string &value);
  void read(const char *key, bool &value);
  void read(const char *key, double &value);
  void read(const char *key, int64_t &value,
            int64_t least = std::numeric_limits<int64_t>::min(),
            int64_t greatest = std::numeric_limits<int64_t>::max());
  void read(const char *key, int32_t &value);
  void read(const char *key, std::vector<int32_t> &values);
  void read(const char *key, std::vector<int64_t> &values);
  void read(const char *key, std::vector<std::string> &values);
  void read(const char *key, Dtype &value);
  /// An enum, by name or number; `names` are in the order of its numbers.
  void read(const char *key, int &value,
            std::initializer_list<const char *> names);

  /// Calls `readOne(fields, element)` for each object of a list.
  template <class T, class ReadOne>
  void list(const char *key, std::vector<T> &values, ReadOne readOne) {
    const nlohmann::json *array = find(key);
    if (!array || !requireArray(key, *array))
      return;
    for (const nlohmann::json &element : *array) {
      JsonFields fields(element, join(where, ".", key, "[", values.size(), "]"),
                        status);
      values.emplace_back();
      if (status.ok())
        readOne(fields, values.back());
      fields.finish();
      if (!status.ok())
        return;
    }
  }

  /// Calls `readOne(fields)` if the message is set; returns whether it is.
  template <class ReadOne> bool message(const char *key, ReadOne readOne) {
    const nlohmann::json *object = find(key);
    if (!object)
      return false;
    JsonFields fields(*object, join(where, ".", key), status);
    if (status.ok())
      readOne(fields);
    fields.finish();
    return true;
  }

  /// Accepts a field without looking into it.
  void skip(const char *key) { find(key); }
  /// Complains about fields that nobody asked for.
  void finish();

private:
  const nlohmann::json *find(const char *key);
  bool requireArray(const char *key, const nlohmann::json &value);
  void fail(const char *key, const char *expected);
  bool toInteger(const nlohmann::json &value, int64_t &integer);

  const nlohmann::json &object;
  std::string where;
  Status &status;
  std::vector<const char *> known;
};

} // namespace takt::runtime

#endif
