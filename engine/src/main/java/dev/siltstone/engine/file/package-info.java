/**
 * The files of a store directory: how they are named, and which name belongs to which kind.
 *
 * <p>Knows nothing of what the files hold, so that every package that makes files may use it.
 */
@NullMarked
package dev.siltstone.engine.file;

import org.jspecify.annotations.NullMarked;
