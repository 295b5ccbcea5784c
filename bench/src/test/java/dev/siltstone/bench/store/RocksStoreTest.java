package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class RocksStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.ROCKSDBJNI;
  }
}
