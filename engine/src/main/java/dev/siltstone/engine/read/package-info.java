/**
 * The two ways to read: a point lookup that builds no iterator, and the iterator that turns
 * internal records into live entries.
 *
 * <p>A reader takes a view and a time such that the view holds every write up to the time: it reads
 * the view, then the published time, and reads the view again; if the view has changed it starts
 * over. Views are immutable and replaced whole.
 */
@NullMarked
package dev.siltstone.engine.read;

import org.jspecify.annotations.NullMarked;
