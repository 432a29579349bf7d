#include "runtime/core/JsonFields.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace takt::runtime {

using nlohmann::json;

JsonFields::JsonFields(const json &object, std::string where, Status &status)
    : object(object), where(std::move(where)), status(status) {
  if (!object.is_object() && status.ok())
    status = bundleError("manifest: ", this->where, " is not an object");
}

const json *JsonFields::find(const char *key) {
  known.push_back(key);
  if (!status.ok() || !object.is_object())
    return nullptr;
  auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

void JsonFields::fail(const char *key, const char *expected) {
  if (status.ok())
    status = bundleError("manifest: ", where, ".", key, " is not ", expected);
}

bool JsonFields::requireArray(const char *key, const json &value) {
  if (!value.is_array())
    fail(key, "a list");
  return value.is_array();
}

bool JsonFields::toInteger(const json &value, int64_t &integer) {
  if (value.is_number_unsigned()) {
    uint64_t number = value.get<uint64_t>();
    integer = static_cast<int64_t>(number);
    return number <= uint64_t(std::numeric_limits<int64_t>::max());
  }
  if (value.is_number_integer()) {
    integer = value.get<int64_t>();
    return true;
  }
  if (!value.is_string())
    return false;
  const std::string &text = value.get_ref<const std::string &>();
  const char *end = text.data() + text.size();
  auto [stop, code] = std::from_chars(text.data(), end, integer);
  return code == std::errc() && stop == end && !text.empty();
}

void JsonFields::read(const char *key, std::string &value) {
  const json *field = find(key);
  if (!field)
    return;
  if (!field->is_string())
    return fail(key, "a string");
  value = field->get<std::string>();
  // A zero byte would cut a path or name short where C reads it.
  if (value.find('\0') != std::string::npos)
    fail(key, "free of zero bytes");
}

void JsonFields::read(const char *key, bool &value) {
  const json *field = find(key);
  if (!field)
    return;
  if (!field->is_boolean())
    return fail(key, "true or false");
  value = field->get<bool>();
}

void JsonFields::read(const char *key, double &value) {
  const json *field = find(key);
  if (!field)
    return;
  if (!field->is_number() || !std::isfinite(field->get<double>()))
    return fail(key, "a finite number");
  value = field->get<double>();
}

void JsonFields::read(const char *key, int64_t &value, int64_t least,
                      int64_t greatest) {
  const json *field = find(key);
  if (!field)
    return;
  if (!toInteger(*field, value) || value < least || value > greatest)
    fail(key, "an integer in the field's range");
}

void JsonFields::read(const char *key, int32_t &value) {
  int64_t wide = value;
  read(key, wide, std::numeric_limits<int32_t>::min(),
       std::numeric_limits<int32_t>::max());
  value = static_cast<int32_t>(wide);
}

void JsonFields::read(const char *key, std::vector<int64_t> &values) {
  const json *field = find(key);
  if (!field || !requireArray(key, *field))
    return;
  for (const json &element : *field) {
    int64_t value = 0;
    if (!toInteger(element, value))
      return fail(key, "a list of integers");
    values.push_back(value);
  }
}

void JsonFields::read(const char *key, std::vector<int32_t> &values) {
  std::vector<int64_t> wide;
  read(key, wide);
  for (int64_t value : wide) {
    if (value != static_cast<int32_t>(value))
      return fail(key, "a list of 32-bit integers");
    values.push_back(static_cast<int32_t>(value));
  }
}

void JsonFields::read(const char *key, std::vector<std::string> &values) {
  const json *field = find(key);
  if (!field || !requireArray(key, *field))
    return;
  for (const json &element : *field) {
    if (!element.is_string())
      return fail(key, "a list of strings");
    values.push_back(element.get<std::string>());
  }
}

void JsonFields::read(const char *key, Dtype &value) {
  std::string name;
  read(key, name);
  if (!status.ok())
    return;
  if (std::optional<Dtype> dtype = parseManifestDtype(name))
    value = *dtype;
  else
    status = bundleError("manifest: ", where, ".", key, ": unknown dtype '",
                         name, "'");
}

void JsonFields::read(const char *key, int &value,
                      std::initializer_list<const char *> names) {
  const json *field = find(key);
  if (!field)
    return;
  if (field->is_string()) {
    auto found = std::find(names.begin(), names.end(),
                           field->get_ref<const std::string &>());
    if (found == names.end())
      return fail(key, "a name of its enum");
    value = static_cast<int>(found - names.begin());
    return;
  }
  int64_t number = 0;
  if (!toInteger(*field, number) || number < 0 ||
      number >= static_cast<int64_t>(names.size()))
    return fail(key, "a value of its enum");
  value = static_cast<int>(number);
}

void JsonFields::finish() {
  if (!status.ok() || !object.is_object())
    return;
  for (const auto &item : object.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      status = bundleError("manifest: ", where, " has an unknown field '",
                           item.key(), "': it was written for another version");
      return;
    }
}

} // namespace takt::runtime
