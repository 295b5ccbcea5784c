/**
 * Remembers stretches of keys that are proven to hold nothing live, so that no reader walks the
 * same tombstones twice.
 *
 * <p><b>The fact.</b> For a stretch I and a time S, F(I, S) says: at S no key of I is live. A
 * <em>birth</em> is a put, the only write that can make a key live. F(I, S) and no birth in I after
 * S up to T imply F(I, T); F holds on every part of I; and F(I, S), F(J, R) without later births
 * give F on the union at the greater time.
 *
 * <p><b>The invariant.</b> For every gap in the memo no birth later than the gap's time and already
 * published lies in it. A reader at time T that finds a gap with a time at most T may therefore
 * jump over it.
 *
 * <p><b>The rules that keep it.</b>
 *
 * <ol>
 *   <li>A writer inserts its records into the memtable (W1), fences (W2), cuts the keys of its puts
 *       out of gaps and walks (W3), and only then publishes its time (W4).
 *   <li>A reader takes a view and a time such that the view holds every write up to the time (R1).
 *   <li>A learner's time is at least that of everything in the files of its view (L1): otherwise a
 *       compaction could have dropped a put after its time and kept the delete that followed.
 *   <li>It registers its walk (L2), fences (L3), makes sure that its view's memtable is still the
 *       one that takes writes (L4), and only then seeks anew to where the walk begins and walks
 *       (L5). It stops at the first key that is live, or that has any version newer than its time.
 *   <li>The walk's end and what writers have cut meanwhile bound the gap that is published (L6).
 * </ol>
 *
 * <p><b>Why it holds.</b> Let a birth q on key k, later than the gap's time, be published. If the
 * gap was in the memo at W3, k was cut out. If its walk was registered before W3, the writer
 * lowered the walk's limit before it was published, or found the gap. If the walk was registered
 * after W3, then W1 came before L5 in the order of the fences, so the walk met k with a version
 * newer than its time, and stopped before it: q is in the memtable that L4 has proven current, or
 * in files, and L1 says that nothing newer than the walk's time is in those.
 *
 * <p><b>A memtable without records</b> need not be among what the walk reads: L4 also makes sure
 * that it has none, after the fence, so that every birth in it finds the walk at W3.
 *
 * <p><b>Births in files.</b> Puts that are ingested come in a file and are in no memtable. The view
 * with that file takes the place of W1, and it has another active memtable than all views before
 * it. So L4 proves of a walk that is registered after W3 that its view has the file, and L1 that
 * its time is not before the birth.
 *
 * <p><b>Expiry</b> only kills, but a reader may judge it at an earlier time than the learner did. A
 * gap that has passed an expired value carries the learner's judging time, and serves readers that
 * judge at that time or later.
 *
 * <p>The memo never changes results; it is a cache, bounded in number, lightest gaps go first.
 */
@NullMarked
package dev.siltstone.engine.gap;

import org.jspecify.annotations.NullMarked;
