package dev.siltstone.engine.wal;

/**
 * What is known of one segment of the log.
 *
 * @param number file number
 * @param bytes length of the file
 * @param maxTime greatest hybrid time of a record in it; 0 if it has none
 */
public record LogSegment(long number, long bytes, long maxTime) {}
