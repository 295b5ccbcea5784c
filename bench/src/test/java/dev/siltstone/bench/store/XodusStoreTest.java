package dev.siltstone.bench.store;

// Goal and method: see the contract.
final class XodusStoreTest extends StoreContract {
  @Override
  Engine engine() {
    return Engine.XODUS;
  }
}
