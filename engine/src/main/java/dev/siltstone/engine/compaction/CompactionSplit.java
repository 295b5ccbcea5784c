package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts the keys of a compaction into spans of about equal work, so that several threads can do it.
 *
 * <p>A cut lies between two keys, never between the versions of one, and what a range delete covers
 * on either side is told to both. A subtree record, however, hides keys behind any cut, and the job
 * that begins there would have to know it; so a compaction with such records is not cut.
 */
public final class CompactionSplit {
  /** Pieces into which each file is cut, for each span. */
  private static final int PIECES_PER_SPAN = 16;

  private CompactionSplit() {}

  /** Finds keys that cut a file. */
  @FunctionalInterface
  public interface Cuts {
    /** Keys that cut a file into about so many pieces of about the same length. */
    List<byte[]> of(FileMeta file, int pieces) throws IOException;
  }

  /** The end of a piece of a file. */
  private record Piece(byte[] end, double bytes) {}

  /**
   * Spans in key order that together hold all keys, each once.
   *
   * @param spansMax how many there may be
   * @param bytesMin how much each should read at least
   */
  public static List<KeySpan> of(Compaction compaction, int spansMax, long bytesMin, Cuts cuts)
      throws IOException {
    int spans = (int) Math.min(spansMax, compaction.bytes() / Math.max(1, bytesMin));
    List<FileMeta> files = compaction.files();
    if (spans < 2 || files.stream().anyMatch(file -> file.subtrees() > 0)) {
      return List.of(KeySpan.ALL);
    }
    List<Piece> pieces = new ArrayList<>();
    for (FileMeta file : files) {
      List<byte[]> ends = cuts.of(file, PIECES_PER_SPAN * spans);
      for (byte[] end : ends) {
        pieces.add(new Piece(end, (double) file.bytes() / ends.size()));
      }
    }
    pieces.sort((a, b) -> Bytes.compare(a.end, b.end));
    return between(cutsOf(pieces, spans));
  }

  /** The ends of pieces at which another share of all bytes is full, but for the last. */
  private static List<byte[]> cutsOf(List<Piece> pieces, int spans) {
    double share = pieces.stream().mapToDouble(Piece::bytes).sum() / spans;
    List<byte[]> cuts = new ArrayList<>();
    double passed = 0;
    for (Piece piece : pieces) {
      passed += piece.bytes;
      boolean isNew = cuts.isEmpty() || Bytes.compare(cuts.getLast(), piece.end) < 0;
      if (isNew && cuts.size() < spans - 1 && passed >= share * (cuts.size() + 1)) {
        cuts.add(piece.end);
      }
    }
    return cuts;
  }

  private static List<KeySpan> between(List<byte[]> cuts) {
    List<KeySpan> spans = new ArrayList<>();
    KeySpan rest = KeySpan.ALL;
    for (byte[] cut : cuts) {
      spans.add(new KeySpan(rest.lower(), cut));
      rest = new KeySpan(cut, null);
    }
    spans.add(rest);
    return spans;
  }
}
