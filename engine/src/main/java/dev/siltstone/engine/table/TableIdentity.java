package dev.siltstone.engine.table;

/**
 * Which file of which store a table is; every checksum in it is bound to that.
 *
 * @param storeId random id of the store
 * @param fileNumber number in the file's name
 */
public record TableIdentity(long storeId, long fileNumber) {
  /** What checksums are bound to. */
  long bound() {
    return TableFormat.identity(storeId, fileNumber);
  }
}
