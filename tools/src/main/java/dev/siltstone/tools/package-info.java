/**
 * The command line: what a person types to look into, fill and check a store.
 *
 * <p>{@link Main} puts the commands together and says what went wrong; each command is a class of
 * its own and uses nothing of the engine but its public API, the names of its files excepted. What
 * several commands share are mixins (named {@code …Options}) and small formats ({@code KeyText},
 * {@code Table}, {@code JsonWriter}). Commands meet the world through {@link Terminal} alone, so
 * that tests run them whole.
 */
@NullMarked
package dev.siltstone.tools;

import org.jspecify.annotations.NullMarked;
