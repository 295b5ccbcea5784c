/// The storage engine and its public API: ordered bytes to bytes, embedded in one process.
@NullMarked
package dev.siltstone.engine;

import org.jspecify.annotations.NullMarked;
