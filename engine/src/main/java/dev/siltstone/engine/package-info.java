/**
 * The key-value face: an ordered, crash-safe store of bytes embedded in one process. Start at
 * {@link dev.siltstone.engine.Db}.
 *
 * <p>This package and {@link dev.siltstone.engine.spi} are the doors of the engine; the packages
 * beside them are not for use from outside.
 */
@NullMarked
package dev.siltstone.engine;

import org.jspecify.annotations.NullMarked;
