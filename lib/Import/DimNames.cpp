//===- DimNames.cpp - names of the model's dimensions ---------------------===//
#include "DimNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
namespace takt::import {

/// Longer dim_params are taken as names, not as expressions.
static constexpr size_t maxExpressionText = 1000;

/// Products of a few sizes, and costs made of them, stay finite.
static constexpr int64_t maxSize = int64_t(1) << 48;

static bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

std::string DimNames::freshName(StringRef wish) {
  std::string base;
  for (char c : wish.take_front(64))
    base.push_back(isNameChar(c) ? c : '_');
  if (base.empty() || llvm::isDigit(base[0]) || base[0] == '.')
    base.insert(base.begin(), '_');
  if (!SizeExpr::isValidName(base))
    base.push_back('_'); // an operator word
  std::string name = base;
  for (int i = 1; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

/// Makes a dimension of the model's text, or of \p wish where it has none.
SizeExpr DimNames::declare(ImportState &state, StringRef text, StringRef wish) {
  std::string name = freshName(text.empty() ? wish : text);
  known.push_back(name);
  SizeExpr size;
  const auto &bound = state.options.dims;
  auto it = bound.find(name);
  if (it == bound.end())
    it = bound.find(text);
  if (it == bound.end()) {
    declared.push_back(name);
    size = SizeExpr::symbol(name);
  } else {
    boundOptions.insert(it->first());
    size = SizeExpr(it->second);
  }
  if (!text.empty())
    sizes[text] = size;
  return size;
}

/// The size that \p text stands for, if it is known or an expression over what
/// is known.
std::optional<SizeExpr> DimNames::translate(StringRef text) const {
  if (auto it = sizes.find(text); it != sizes.end())
    return it->second;
  if (text.size() > maxExpressionText)
    return std::nullopt;
  std::string expression;
  bool unknown = false;
  for (size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("//")) { // how Python writes it
      expression += " floordiv ";
      i += 2;
    } else if (llvm::isAlpha(text[i]) || text[i] == '_') {
      StringRef word = text.substr(i).take_while(isNameChar);
      auto it = sizes.find(word);
      bool isOperator = !SizeExpr::isValidName(word);
      unknown |= it == sizes.end() && !isOperator;
      expression +=
          it == sizes.end() ? word.str() : "(" + it->second.str() + ")";
      i += word.size();
    } else {
      expression += text[i++];
    }
  }
  if (unknown)
    return std::nullopt;
  llvm::Expected<SizeExpr> parsed = SizeExpr::parse(expression);
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return std::nullopt;
  }
  if (parsed->isUndefined())
    return std::nullopt;
  return *parsed;
}

/// Some exporters write -1, as a number or a name, for "any".
static bool isUnnamed(const pb::TensorShapeProto::Dimension &dim) {
  StringRef text = StringRef(dim.dim_param()).trim();
  int64_t number = 0;
  return text.empty() || (!text.getAsInteger(10, number) && number < 0);
}

void DimNames::collectBareNames(ImportState &state,
                                const pb::GraphProto &graph) {
  for (const auto &input : graph.input())
    for (const auto &dim : input.type().tensor_type().shape().dim()) {
      StringRef text = StringRef(dim.dim_param()).trim();
      if (SizeExpr::isValidName(text) && !sizes.count(text))
        declare(state, text, text);
    }
}

LogicalResult DimNames::write(ImportState &state, const SizeExpr &size,
                              Dim &dim) {
  std::optional<int64_t> value = size.constant();
  if (!value) {
    dim.set_dim_param(size.str());
    return success();
  }
  if (*value > maxSize && dim.has_dim_value())
    return state.badModel("has an input dimension of " + Twine(*value) +
                          ", expected at most " + Twine(maxSize));
  if (*value < 0 || *value > maxSize)
    return state.fail(
        ImportError::BadOption,
        "dimension \"" + dim.dim_param() + "\" becomes " + Twine(*value) +
            " with the given dimension sizes, expected 0 to " + Twine(maxSize));
  dim.set_dim_value(*value);
  return success();
}

LogicalResult DimNames::bindInput(ImportState &state,
                                  pb::ValueInfoProto &input) {
  if (!input.type().has_tensor_type())
    return state.unsupported("graph input \"" + input.name() +
                             "\" is no tensor, expected tensors only");
  if (!input.type().tensor_type().has_shape())
    return state.unsupported("graph input \"" + input.name() +
                             "\" has no shape, expected at least a rank");
  SymbolicShape shape;
  auto &dims = *input.mutable_type()
                    ->mutable_tensor_type()
                    ->mutable_shape()
                    ->mutable_dim();
  for (int i = 0; i < dims.size(); ++i) {
    Dim &dim = dims[i];
    StringRef text = StringRef(dim.dim_param()).trim();
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      shape.push_back(SizeExpr(dim.dim_value()));
    else if (isUnnamed(dim))
      shape.push_back(
          declare(state, "", input.name() + "_d" + std::to_string(i)));
    else if (std::optional<SizeExpr> known = translate(text))
      shape.push_back(*known);
    else
      shape.push_back(declare(state, text, text));
    if (failed(write(state, shape.back(), dim)))
      return failure();
  }
  inputs.push_back(std::move(shape));
  return success();
}

/// Rewrites the dimensions of a declared type that follow from the inputs.
/// Where all do, they go to \p shape.
LogicalResult DimNames::rewriteKnown(ImportState &state, pb::TypeProto &type,
                                     std::optional<SymbolicShape> *shape) {
  if (!type.has_tensor_type() || !type.tensor_type().has_shape())
    return success();
  SymbolicShape result;
  auto &dims = *type.mutable_tensor_type()->mutable_shape()->mutable_dim();
  for (Dim &dim : dims) {
    if (dim.has_dim_value()) {
      if (dim.dim_value() < 0)
        dim.clear_dim_value();
      else
        result.push_back(SizeExpr(dim.dim_value()));
      continue;
    }
    if (isUnnamed(dim))
      continue;
    std::optional<SizeExpr> known =
        translate(StringRef(dim.dim_param()).trim());
    if (!known)
      continue;
    result.push_back(*known);
    if (failed(write(state, *known, dim)))
      return failure();
  }
  if (shape && static_cast<int>(result.size()) == dims.size())
    *shape = std::move(result);
  return success();
}

LogicalResult DimNames::checkOptions(ImportState &state) const {
  for (const auto &option : state.options.dims) {
    if (option.second < 0)
      return state.fail(ImportError::BadOption,
                        "dimension \"" + option.first() + "\" is given as " +
                            Twine(option.second) + ", expected 0 or more");
    if (!boundOptions.contains(option.first()))
      return state.fail(ImportError::BadOption,
                        "the model has no dimension named \"" + option.first() +
                            "\"; its dimensions are: " +
                            (known.empty() ? "none" : llvm::join(known, ", ")));
  }
  return success();
}

LogicalResult DimNames::bind(ImportState &state, pb::ModelProto &model) {
  pb::GraphProto &graph = *model.mutable_graph();
  taken.insert(shardSymbol);
  taken.insert("main"); // the function's symbol
  collectBareNames(state, graph);
  for (auto &input : *graph.mutable_input())
    if (failed(bindInput(state, input)))
      return failure();
  if (failed(checkOptions(state)))
    return failure();
  outputs.resize(graph.output_size());
  for (int i = 0; i < graph.output_size(); ++i)
    if (graph.output(i).has_type() &&
        failed(rewriteKnown(state, *graph.mutable_output(i)->mutable_type(),
                            &outputs[i])))
      return failure();
  for (auto &info : *graph.mutable_value_info())
    if (failed(rewriteKnown(state, *info.mutable_type(), nullptr)))
      return failure();
  return walkNodes(
      *graph.mutable_node(), [&](pb::NodeProto &node) -> LogicalResult {
        for (auto &attribute : *node.mutable_attribute())
          for (auto *infos :
               {attribute.has_g() ? attribute.mutable_g()->mutable_value_info()
                                  : nullptr,
                attribute.has_g() ? attribute.mutable_g()->mutable_output()
                                  : nullptr,
                attribute.has_g() ? attribute.mutable_g()->mutable_input()
                                  : nullptr})
            if (infos)
              for (auto &info : *infos)
                if (info.has_type() &&
                    failed(rewriteKnown(state, *info.mutable_type(), nullptr)))
                  return failure();
        return success();
      });
}

} // namespace takt::import
