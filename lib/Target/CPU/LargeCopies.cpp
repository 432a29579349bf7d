//===- LargeCopies.cpp - copies that bypass the cache ---------------------===//
#include "LargeCopies.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// Smaller copies may still be in the second-level cache when they are read.
static constexpr uint64_t fewestBytes = 128 << 10;
static constexpr uint64_t lineBytes = 64;
static constexpr uint64_t stepBytes = 2 * lineBytes;
static constexpr uint64_t bytesAhead = 4096;

namespace {
/// Writes `void takt.copy(ptr target, ptr source, i64 bytes)`.
class CopyFunction {
public:
  explicit CopyFunction(Module &module)
      : builder(module.getContext()), integer(builder.getInt64Ty()) {
    Type *pointer = builder.getPtrTy();
    function =
        Function::Create(FunctionType::get(builder.getVoidTy(),
                                           {pointer, pointer, integer}, false),
                         GlobalValue::InternalLinkage, "takt.copy", module);
    target = function->getArg(0);
    source = function->getArg(1);
    bytes = function->getArg(2);
  }

  Function *build();

private:
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(builder.getContext(), name, function);
  }
  Value *at(Value *base, Value *offset) {
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), base, offset);
  }
  void copy(Value *to, Value *from, Value *count) {
    builder.CreateMemCpy(to, MaybeAlign(1), from, MaybeAlign(1), count);
  }
  void buildStep(Value *offset);

  IRBuilder<> builder;
  Type *integer;
  Function *function;
  Value *target, *source, *bytes;
};
} // namespace

/// Two lines: loads anywhere, stores at whole lines.
void CopyFunction::buildStep(Value *offset) {
  Type *line = FixedVectorType::get(builder.getInt32Ty(), lineBytes / 4);
  MDNode *yes = MDNode::get(builder.getContext(),
                            ConstantAsMetadata::get(builder.getInt32(1)));
  for (uint64_t part = 0; part < stepBytes; part += lineBytes) {
    Value *place = builder.CreateAdd(offset, builder.getInt64(part));
    Value *from = at(source, place);
    builder.CreateIntrinsic(Intrinsic::prefetch, {from->getType()},
                            {builder.CreateGEP(builder.getInt8Ty(), from,
                                               builder.getInt64(bytesAhead)),
                             builder.getInt32(0), builder.getInt32(3),
                             builder.getInt32(1)});
    Value *data = builder.CreateAlignedLoad(line, from, Align(1));
    builder.CreateAlignedStore(data, at(target, place), Align(lineBytes))
        ->setMetadata(LLVMContext::MD_nontemporal, yes);
  }
}

Function *CopyFunction::build() {
  BasicBlock *entry = block("entry"), *plain = block("plain"),
             *loop = block("loop"), *rest = block("rest");
  builder.SetInsertPoint(entry);
  Value *misplaced = builder.CreateAnd(builder.CreatePtrToInt(target, integer),
                                       builder.getInt64(lineBytes - 1));
  builder.CreateCondBr(
      builder.CreateAnd(
          builder.CreateICmpUGE(bytes, builder.getInt64(fewestBytes)),
          builder.CreateICmpEQ(misplaced, builder.getInt64(0))),
      loop, plain);

  builder.SetInsertPoint(plain);
  copy(target, source, bytes);
  builder.CreateRetVoid();

  builder.SetInsertPoint(loop);
  PHINode *offset = builder.CreatePHI(integer, 2);
  offset->addIncoming(builder.getInt64(0), entry);
  buildStep(offset);
  Value *next = builder.CreateAdd(offset, builder.getInt64(stepBytes));
  offset->addIncoming(next, loop);
  Value *left = builder.CreateSub(bytes, next);
  builder.CreateCondBr(builder.CreateICmpUGE(left, builder.getInt64(stepBytes)),
                       loop, rest);

  builder.SetInsertPoint(rest);
  copy(at(target, next), at(source, next), left);
  // Such stores are not ordered with those that tell other ranks of them.
  builder.CreateFence(AtomicOrdering::SequentiallyConsistent);
  builder.CreateRetVoid();
  return function;
}

void takt::streamLargeCopies(Module &module) {
  SmallVector<MemCpyInst *> copies;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *copy = dyn_cast<MemCpyInst>(&instruction);
        if (copy && !copy->isVolatile() && !isa<Constant>(copy->getLength()))
          copies.push_back(copy);
      }
  if (copies.empty())
    return;
  Function *streaming = CopyFunction(module).build();
  for (MemCpyInst *copy : copies) {
    IRBuilder<> builder(copy);
    Value *length =
        builder.CreateZExtOrTrunc(copy->getLength(), builder.getInt64Ty());
    builder.CreateCall(streaming,
                       {copy->getRawDest(), copy->getRawSource(), length});
    copy->eraseFromParent();
  }
}
