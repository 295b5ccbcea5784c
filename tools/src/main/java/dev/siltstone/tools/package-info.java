/// The command line: what a person types to look into, check and serve a store.
@NullMarked
package dev.siltstone.tools;

import org.jspecify.annotations.NullMarked;
