/**
 * Table files: sorted, immutable, checked block by block.
 *
 * <p>{@link dev.siltstone.engine.table.TableFormat} draws the file. {@link
 * dev.siltstone.engine.table.TableWriter} makes one front to back; {@link
 * dev.siltstone.engine.table.TableReader} answers point lookups and iterates; {@link
 * dev.siltstone.engine.table.TableCache} keeps readers open.
 *
 * <p>Whatever the bytes of a file are, reading it gives what was written, or a {@link
 * dev.siltstone.base.io.CorruptFileException}, or an {@link
 * dev.siltstone.base.io.UnsupportedFileException}. Two checks see to that: every block carries a
 * checksum bound to its place, and the structure of a block is checked once, when it is made from
 * bytes, so that all later reads of it stay within it.
 */
@NullMarked
package dev.siltstone.engine.table;

import org.jspecify.annotations.NullMarked;
