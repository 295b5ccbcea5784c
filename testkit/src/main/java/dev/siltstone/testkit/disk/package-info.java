/**
 * Disks for tests: one in memory that knows what a power loss would leave of it, and one that fails
 * on command.
 */
@NullMarked
package dev.siltstone.testkit.disk;

import org.jspecify.annotations.NullMarked;
