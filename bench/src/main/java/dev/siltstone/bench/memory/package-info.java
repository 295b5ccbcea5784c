/**
 * {@code siltstone bench memory}: trials of the engine in a JVM with little memory. Each runs in a
 * process of its own, checks every answer, and prints what it has taken of heap and of the machine.
 */
@NullMarked
package dev.siltstone.bench.memory;

import org.jspecify.annotations.NullMarked;
