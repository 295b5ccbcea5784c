/**
 * The rules of the house as tests: which package may use which, who may touch files, clock and
 * threads, and how sources look. Every rule is also run on a fixture that breaks it, so that a rule
 * which can no longer fail is noticed.
 */
@NullMarked
package dev.siltstone.house;

import org.jspecify.annotations.NullMarked;
