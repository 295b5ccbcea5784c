package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class LeveldbjniStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.LEVELDBJNI;
  }
}
