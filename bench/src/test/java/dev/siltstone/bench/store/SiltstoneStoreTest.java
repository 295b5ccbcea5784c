package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class SiltstoneStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.SILTSTONE;
  }
}
