/// What was measured, apart from how: a value that is written to and read from JSON, summed up over
/// rounds, compared with another one, and shown as tables and pages.
@NullMarked
package dev.siltstone.bench.result;

import org.jspecify.annotations.NullMarked;
