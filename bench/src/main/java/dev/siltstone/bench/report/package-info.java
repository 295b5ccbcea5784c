/// How results are shown: numbers with units, text tables, a line of progress, JSON, and one HTML
/// page that needs nothing but itself.
@NullMarked
package dev.siltstone.bench.report;

import org.jspecify.annotations.NullMarked;
