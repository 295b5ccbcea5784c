/**
 * What a record is: its kind, its hybrid time, its place in the order, and its bytes in a batch.
 *
 * <p>A record is (key, time, kind, value). Records are sorted by key ascending (unsigned bytewise),
 * then by time descending. Within one tree at most one record has a given key and time, range
 * deletes excepted, which live in structures of their own.
 */
@NullMarked
package dev.siltstone.engine.key;

import org.jspecify.annotations.NullMarked;
