/** Time that only moves when a test moves it. */
@NullMarked
package dev.siltstone.testkit.time;

import org.jspecify.annotations.NullMarked;
