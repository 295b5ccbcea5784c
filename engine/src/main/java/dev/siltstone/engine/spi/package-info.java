/** The seams an application or a layer above may fill: compression, compaction filters, events. */
@NullMarked
package dev.siltstone.engine.spi;

import org.jspecify.annotations.NullMarked;
