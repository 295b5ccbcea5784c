/// The inner loops of the engine under JMH, each by itself: what takes nanoseconds, and is lost in
/// the noise of a workload.
///
/// State classes are open to subclasses and have fields that are set later, because JMH makes
/// subclasses and calls their set-up methods. Every loop runs on data that is made from numbers, so
/// that two builds measure the same.
@NullMarked
package dev.siltstone.bench.loop;

import org.jspecify.annotations.NullMarked;
