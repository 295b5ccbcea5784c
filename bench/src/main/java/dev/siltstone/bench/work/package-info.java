/// What is measured: workloads named as db_bench names them, and the data they work on.
///
/// A workload describes itself ([Workload#spec()]) and makes one [Task] for each of its threads; it
/// measures nothing and prints nothing. Every answer of a store is compared with what must be
/// there, because all data can be computed from a key's number alone. A wrong answer ends the run.
@NullMarked
package dev.siltstone.bench.work;

import org.jspecify.annotations.NullMarked;
