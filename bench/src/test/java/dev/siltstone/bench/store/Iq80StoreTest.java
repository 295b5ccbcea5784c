package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class Iq80StoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.IQ80;
  }
}
