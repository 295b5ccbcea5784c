package dev.siltstone.engine.version;

/**
 * One tree at one moment. Immutable; the array is not to be changed.
 *
 * @param id number of the tree, never used for another
 * @param name its name
 * @param options how it is kept, in a form of the caller's
 * @param version its table files
 * @param flushedTime all its records with a time of at most this are in the tables
 * @param historyFloor no reader of it may look at an earlier time
 */
public record TreeState(
    int id, String name, byte[] options, Version version, long flushedTime, long historyFloor) {}
