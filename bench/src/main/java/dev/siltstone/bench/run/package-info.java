/// Runs workloads and compares engines.
///
/// Each engine lives in a child process of its own: the same `java`, the same heap, only its own
/// jars on the class path ([ClassPaths]). The parent tells a child over its standard input what to
/// run and reads the outcome from its standard output ([Message]); only one child works at a time,
/// and engines take turns at every workload, so that all meet the same machine.
@NullMarked
package dev.siltstone.bench.run;

import org.jspecify.annotations.NullMarked;
