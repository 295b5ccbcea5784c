/** The built-in compressor: the LZ4 block format in plain Java. */
@NullMarked
package dev.siltstone.engine.lz4;

import org.jspecify.annotations.NullMarked;
