/// Benchmarks, and the demo built on them. Never published, and nothing depends on it.
@NullMarked
package dev.siltstone.bench;

import org.jspecify.annotations.NullMarked;
