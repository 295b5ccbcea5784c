package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class MapDbStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.MAPDB;
  }
}
