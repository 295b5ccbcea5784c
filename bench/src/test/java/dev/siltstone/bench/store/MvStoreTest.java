package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class MvStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.MVSTORE;
  }
}
