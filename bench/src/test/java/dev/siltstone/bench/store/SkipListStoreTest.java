package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class SkipListStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.SKIPLIST;
  }
}
