//===- ClusterFields.cpp - fields of a cluster file and their types -------===//
#include "ClusterFields.h"

#include "ClusterKinds.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <google/protobuf/descriptor.h>

#include <cmath>

using namespace takt;

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using llvm::json::Value;

static llvm::Error checkObject(const Value &value, const Descriptor &message,
                               const std::string &path);

/// The field of a key, in JSON's spelling or the message's.
static const FieldDescriptor *findField(const Descriptor &message,
                                        llvm::StringRef key) {
  for (int i = 0; i < message.field_count(); ++i)
    if (key == message.field(i)->json_name() || key == message.field(i)->name())
      return message.field(i);
  return nullptr;
}

static llvm::Error expected(const std::string &path, const Value &value,
                            llvm::StringRef type) {
  std::string text = llvm::formatv("{0}", value);
  if (text.size() > 40)
    text = text.substr(0, 37) + "...";
  return fieldError(path.empty() ? "the file" : path,
                    "is " + text + "; expected " + type);
}

static llvm::Error checkValue(const Value &value, const FieldDescriptor &field,
                              const std::string &path) {
  switch (field.cpp_type()) {
  case FieldDescriptor::CPPTYPE_MESSAGE:
    return checkObject(value, *field.message_type(), path);
  case FieldDescriptor::CPPTYPE_STRING:
    if (value.getAsString())
      return llvm::Error::success();
    return expected(path, value, "a string");
  case FieldDescriptor::CPPTYPE_DOUBLE:
    if (auto number = value.getAsNumber(); number && std::isfinite(*number))
      return llvm::Error::success();
    return expected(path, value, "a finite number");
  default: // the message's integers
    if (auto number = value.getAsInteger();
        number && (field.cpp_type() != FieldDescriptor::CPPTYPE_INT32 ||
                   *number == int32_t(*number)))
      return llvm::Error::success();
    return expected(path, value, "an integer");
  }
}

static llvm::Error checkField(const Value &value, const FieldDescriptor &field,
                              const std::string &path) {
  if (!field.is_repeated())
    return checkValue(value, field, path);
  const llvm::json::Array *list = value.getAsArray();
  if (!list)
    return expected(path, value, "a list");
  for (auto [i, element] : llvm::enumerate(*list))
    if (llvm::Error error = checkValue(
            element, field, (path + "[" + llvm::Twine(i) + "]").str()))
      return error;
  return llvm::Error::success();
}

static llvm::Error checkObject(const Value &value, const Descriptor &message,
                               const std::string &path) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return expected(path, value, "an object");
  for (const auto &[key, member] : *object) {
    llvm::StringRef name = key;
    const FieldDescriptor *field = findField(message, name);
    std::string place = path + (path.empty() ? "" : ".") +
                        (field ? field->json_name() : name.str());
    if (!field)
      return fieldError(place,
                        "is no field of a cluster file; correct or remove it");
    if (llvm::Error error = checkField(member, *field, place))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error takt::checkFields(const Value &value, const Descriptor &message) {
  return checkObject(value, message, "");
}
