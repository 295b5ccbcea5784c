/// What tests of every module share: simulated disk, clock and randomness, fault injection, models
/// of the truth, and the contracts that implementations of the seams must pass.
@NullMarked
package dev.siltstone.testkit;

import org.jspecify.annotations.NullMarked;
