/// Outcome of a call of the runtime: a code, which is also the exit code of
/// `run`, and one line of text.
#ifndef TAKT_RUNTIME_CORE_STATUS_H
#define TAKT_RUNTIME_CORE_STATUS_H

#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace takt::runtime {

enum class Code {
  Ok = 0,
  Usage = 2,       // command line
  Input = 4,       // name, shape, dtype or guard of a request's input
  Bundle = 5,      // damaged, or of another version
  Environment = 6, // disk, memory, I/O, processor
  Rank = 75,       // a rank failed or made no progress in time
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string text) : code(code), text(std::move(text)) {}

  bool ok() const { return code == Code::Ok; }
  Code getCode() const { return code; }
  const std::string &getText() const { return text; }

private:
  Code code = Code::Ok;
  std::string text;
};

/// A value, or the status that says why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : value(std::move(value)) {}
  Result(Status error) : error(std::move(error)) {}

  bool ok() const { return value.has_value(); }
  const Status &status() const { return error; }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

private:
  std::optional<T> value;
  Status error;
};

/// Joins the printed forms of `parts`.
template <class... Parts> std::string join(const Parts &...parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

template <class... Parts> Status inputError(const Parts &...parts) {
  return Status(Code::Input, join(parts...));
}
template <class... Parts> Status bundleError(const Parts &...parts) {
  return Status(Code::Bundle, join(parts...));
}
template <class... Parts> Status environmentError(const Parts &...parts) {
  return Status(Code::Environment, join(parts...));
}
template <class... Parts> Status rankError(const Parts &...parts) {
  return Status(Code::Rank, join(parts...));
}
template <class... Parts> Status usageError(const Parts &...parts) {
  return Status(Code::Usage, join(parts...));
}

} // namespace takt::runtime

#define TAKT_RETURN_IF_ERROR(expression)                                       \
  do {                                                                         \
    if (::takt::runtime::Status taktStatus = (expression); !taktStatus.ok())   \
      return taktStatus;                                                       \
  } while (false)

#endif
