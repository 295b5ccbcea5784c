/** What every implementation of a seam must pass: test classes to extend. */
@NullMarked
package dev.siltstone.testkit.contract;

import org.jspecify.annotations.NullMarked;
