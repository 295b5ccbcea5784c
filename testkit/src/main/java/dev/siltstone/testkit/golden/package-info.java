/** Tests whose cases and expected results are text files beside them. */
@NullMarked
package dev.siltstone.testkit.golden;

import org.jspecify.annotations.NullMarked;
