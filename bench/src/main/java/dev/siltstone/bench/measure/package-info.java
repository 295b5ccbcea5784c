/// How steps are run and timed, and what a process takes of the machine meanwhile.
@NullMarked
package dev.siltstone.bench.measure;

import org.jspecify.annotations.NullMarked;
