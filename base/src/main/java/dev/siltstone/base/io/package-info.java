/**
 * The file-system seam. All file access of Siltstone goes through {@link
 * dev.siltstone.base.io.FileSystem}, so that simulation and fault injection are one option.
 *
 * <p>{@link dev.siltstone.base.io.OsFileSystem} is the real one and the only class of the project
 * that touches {@code java.nio.file.Files} or {@code java.nio.channels.FileChannel}.
 */
@NullMarked
package dev.siltstone.base.io;

import org.jspecify.annotations.NullMarked;
