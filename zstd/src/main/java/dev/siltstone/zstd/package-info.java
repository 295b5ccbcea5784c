/**
 * Zstandard as a compressor of table files. Optional: the engine does not know of it, and an
 * application hands it over through {@code Components.withCompressors}.
 *
 * <p>Invariant: what is written is one frame of RFC 8878 a block, under compressor id 2.
 */
@NullMarked
package dev.siltstone.zstd;

import org.jspecify.annotations.NullMarked;
