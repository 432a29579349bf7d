#include "takt/Analysis/ClusterCatalogue.h"
#include "takt/Analysis/Cluster.h"

#include "CatalogueText.h"
#include "takt/Support/JsonText.h"

#include "gtest/gtest.h"

using namespace takt;

namespace {

TEST(ClusterCatalogue, IsStrictJson) {
  EXPECT_EQ(llvm::toString(checkStrictJson(catalogueText, "catalogue")), "");
}

/// Every entry works in a cluster file and says where its figures come from.
TEST(ClusterCatalogue, EntriesAreCompleteAndNameTheirSource) {
  EXPECT_GE(clusterCatalogue().device_kinds_size(), 11);
  for (const proto::DeviceKind &kind : clusterCatalogue().device_kinds()) {
    EXPECT_FALSE(kind.source().empty()) << kind.name();
    auto cluster = parseCluster("{\"nodes\": [{\"devices\": [{\"kind\": \"" +
                                    kind.name() + "\"}]}]}",
                                kind.name());
    ASSERT_TRUE(bool(cluster)) << llvm::toString(cluster.takeError());
    const Device &device = cluster->devices[0];
    EXPECT_GE(device.rate(Precision::Int8), device.rate(Precision::F16));
    EXPECT_GE(device.rate(Precision::F16), device.rate(Precision::F32));
  }
  for (const proto::LinkKind &kind : clusterCatalogue().link_kinds()) {
    EXPECT_FALSE(kind.source().empty()) << kind.name();
    auto cluster =
        parseCluster("{\"nodes\": [{\"devices\": [{\"kind\": \"t4\"}], "
                     "\"link\": {\"kind\": \"" +
                         kind.name() + "\"}}]}",
                     kind.name());
    EXPECT_TRUE(bool(cluster)) << llvm::toString(cluster.takeError());
  }
}

TEST(ClusterCatalogue, EntriesLikeOthers) {
  const proto::DeviceKind *kind = findCatalogueDevice("a100-80gb");
  ASSERT_TRUE(kind);
  EXPECT_EQ(kind->memory_bytes(), 80e9);
  EXPECT_EQ(kind->flops_per_second().bf16(), 312e12);
  EXPECT_EQ(findCatalogueDevice("h1000"), nullptr);
  EXPECT_EQ(findCatalogueLink(""), nullptr);
}

} // namespace
