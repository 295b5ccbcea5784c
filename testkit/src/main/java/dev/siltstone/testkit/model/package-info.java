/** What a tree means, in the plainest form: the truth that engines are compared with. */
@NullMarked
package dev.siltstone.testkit.model;

import org.jspecify.annotations.NullMarked;
