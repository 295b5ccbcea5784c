/**
 * Running tests from one seed: where all randomness comes from, in which order background work
 * runs, and how a failing list of operations is made short.
 */
@NullMarked
package dev.siltstone.testkit.run;

import org.jspecify.annotations.NullMarked;
