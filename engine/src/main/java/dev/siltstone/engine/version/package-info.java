/**
 * Which files make up a tree, and how that changes: immutable versions, the edits between them, and
 * the manifest that makes edits durable.
 */
@NullMarked
package dev.siltstone.engine.version;

import org.jspecify.annotations.NullMarked;
