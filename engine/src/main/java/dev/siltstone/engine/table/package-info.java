/**
 * Table files: sorted, immutable, checksummed. {@link dev.siltstone.engine.table.TableFormat} draws
 * the layout.
 */
@NullMarked
package dev.siltstone.engine.table;

import org.jspecify.annotations.NullMarked;
