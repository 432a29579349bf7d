//===- Tensors.cpp - constants, types and texts of host tensors -----------===//
#include "takt/Interpreter/BlockEvaluator.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace takt;

std::string takt::describeOperation(Operation *op) {
  std::string text = "op '" + op->getName().getStringRef().str() + "'";
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    text += " (\"" + name.getName().str() + "\")";
  return text;
}

std::string takt::tensorText(const HostTensor &tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(tensor.shape, os);
  os << "]x" << dtypeName(tensor.dtype);
  return text;
}

llvm::Error takt::checkTensorType(const HostTensor &tensor, Type type) {
  std::string typeText;
  llvm::raw_string_ostream(typeText) << type;
  auto ranked = dyn_cast<RankedTensorType>(type);
  bool agrees = ranked && dtypeOf(ranked.getElementType()) == tensor.dtype &&
                ranked.getRank() == int64_t(tensor.shape.size());
  for (size_t i = 0; agrees && i < tensor.shape.size(); ++i)
    agrees = ranked.isDynamicDim(i) || ranked.getDimSize(i) == tensor.shape[i];
  if (agrees)
    return llvm::Error::success();
  return evaluationFailure("its value is " + tensorText(tensor) +
                           ", its type " + typeText);
}

/// MLIR packs i1 eight to a byte; everything else lies as it does in memory.
static void copyElements(DenseElementsAttr elements, HostTensor &tensor) {
  if (tensor.dtype == DType::Bool) {
    for (auto [i, value] : llvm::enumerate(elements.getValues<bool>()))
      tensor.data[i] = value;
    return;
  }
  ArrayRef<char> raw = elements.getRawData();
  if (!elements.isSplat()) {
    if (!raw.empty())
      std::memcpy(tensor.data.data(), raw.data(), raw.size());
    return;
  }
  for (size_t i = 0; i < tensor.data.size(); i += raw.size())
    std::memcpy(tensor.data.data() + i, raw.data(), raw.size());
}

llvm::Expected<HostTensor> takt::tensorOfAttribute(Attribute value) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return evaluationFailure("a constant that is not made of dense elements");
  std::optional<DType> dtype = dtypeOf(elements.getElementType());
  if (!dtype)
    return evaluationFailure("a constant of an element type without a value "
                             "in memory");
  HostTensor tensor = HostTensor::zeros(*dtype, elements.getType().getShape());
  copyElements(elements, tensor);
  return tensor;
}
