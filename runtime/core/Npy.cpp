#include "runtime/core/Npy.h"
#include "runtime/core/SizeExpression.h"

#include <charconv>
#include <cstring>
#include <string_view>

namespace takt::runtime {
namespace {

/// The header is a Python dictionary with three known keys.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  Status run(NpyHeader &header) {
    if (!accept('{'))
      return fail();
    while (!accept('}')) {
      std::string_view key;
      if (!parseString(key) || !accept(':'))
        return fail();
      TAKT_RETURN_IF_ERROR(parseField(key, header));
      accept(',');
    }
    if (!hasDtype || !hasOrder || !hasShape)
      return fail();
    return Status();
  }

private:
  Status parseField(std::string_view key, NpyHeader &header) {
    if (key == "descr") {
      std::string_view name;
      if (!parseString(name))
        return inputError("its dtype is a structure; a plain one expected");
      std::optional<Dtype> dtype = parseNpyDtype(name);
      if (!dtype)
        return inputError("its dtype '", name, "' is not supported (a ",
                          "little-endian number or bool expected)");
      header.dtype = *dtype;
      hasDtype = true;
      return Status();
    }
    if (key == "fortran_order") {
      hasOrder = true;
      if (acceptWord("False"))
        return Status();
      if (!acceptWord("True"))
        return fail();
      return inputError("it is in Fortran order; save it with "
                        "numpy.ascontiguousarray");
    }
    if (key != "shape" || !parseShape(header.shape))
      return fail();
    hasShape = true;
    return Status();
  }

  bool parseShape(std::vector<int64_t> &shape) {
    shape.clear();
    if (!accept('('))
      return false;
    while (!accept(')')) {
      skipSpace();
      int64_t size = 0;
      const char *begin = text.data() + position;
      auto [end, code] =
          std::from_chars(begin, text.data() + text.size(), size);
      if (code != std::errc() || size < 0 || shape.size() >= 64)
        return false;
      position += static_cast<size_t>(end - begin);
      shape.push_back(size);
      if (!accept(',') && peek() != ')')
        return false;
    }
    return true;
  }

  bool parseString(std::string_view &value) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    size_t end = text.find(quote, position + 1);
    if (end == std::string_view::npos)
      return false;
    value = text.substr(position + 1, end - position - 1);
    position = end + 1;
    return true;
  }

  void skipSpace() {
    while (position < text.size() && std::strchr(" \t\n", text[position]) &&
           text[position])
      ++position;
  }
  char peek() {
    skipSpace();
    return position < text.size() ? text[position] : '\0';
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++position;
    return true;
  }
  bool acceptWord(std::string_view word) {
    skipSpace();
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }
  Status fail() const { return inputError("its NPY header is malformed"); }

  std::string_view text;
  size_t position = 0;
  bool hasDtype = false;
  bool hasOrder = false;
  bool hasShape = false;
};

} // namespace

Result<NpyHeader> parseNpyHeader(const std::byte *data, int64_t bytes) {
  if (bytes < 10 || std::memcmp(data, "\x93NUMPY", 6) != 0)
    return inputError("it is not an NPY file");
  int major = static_cast<int>(data[6]);
  if (major < 1 || major > 3)
    return inputError("its NPY version is ", major, "; 1 to 3 expected");
  int64_t lengthBytes = major == 1 ? 2 : 4;
  int64_t length = 0;
  if (bytes < 8 + lengthBytes)
    return inputError("its NPY header is cut short");
  for (int64_t i = 0; i < lengthBytes; ++i)
    length |= std::to_integer<int64_t>(data[8 + i]) << (8 * i);
  NpyHeader header;
  header.dataOffset = 8 + lengthBytes + length;
  if (header.dataOffset > bytes)
    return inputError("its NPY header is cut short");
  std::string_view text(reinterpret_cast<const char *>(data) + 8 + lengthBytes,
                        static_cast<size_t>(length));
  if (Status status = HeaderParser(text).run(header); !status.ok())
    return status;
  Result<int64_t> dataBytes = checkedBytes(header.shape, sizeOf(header.dtype));
  if (!dataBytes.ok())
    return dataBytes.status();
  header.dataBytes = *dataBytes;
  return header;
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<FileMapping> file = FileMapping::open(path, Code::Input);
  if (!file.ok())
    return file.status();
  Result<NpyHeader> header = parseNpyHeader(file->data(), file->size());
  if (!header.ok())
    return inputError("cannot read '", path, "': ", header.status().getText());
  int64_t present = file->size() - header->dataOffset;
  if (present != header->dataBytes)
    return inputError("cannot read '", path, "': it holds ", present,
                      " bytes of data, its header describes ",
                      header->dataBytes);
  NpyArray array;
  array.dtype = header->dtype;
  array.shape = std::move(header->shape);
  array.bytes = header->dataBytes;
  array.data = file->data() + header->dataOffset;
  array.file = std::move(*file);
  return array;
}

std::string makeNpyHeader(Dtype dtype, const std::vector<int64_t> &shape) {
  std::string text = join("{'descr': '", npyNameOf(dtype),
                          "', 'fortran_order': False, ", "'shape': (");
  for (size_t i = 0; i < shape.size(); ++i)
    text += join(i ? " " : "", shape[i],
                 shape.size() == 1 || i + 1 < shape.size() ? "," : "");
  text += "), }";
  constexpr size_t prefix = 10;
  size_t total = (prefix + text.size() + 1 + 63) / 64 * 64;
  text.append(total - prefix - text.size() - 1, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 255);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace takt::runtime
