package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class LmdbStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.LMDBJAVA;
  }
}
