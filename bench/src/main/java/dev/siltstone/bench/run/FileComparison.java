package dev.siltstone.bench.run;

import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.result.Change;
import dev.siltstone.bench.result.ChangeTables;
import dev.siltstone.bench.result.Results;
import dev.siltstone.bench.result.ResultsReader;
import dev.siltstone.bench.result.Summary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/**
 * Two files of figures beside each other.
 *
 * @param before the first
 * @param after the second
 */
record FileComparison(Path before, Path after) {

  /**
   * Says what changed; gives the exit status, which does not depend on it.
   *
   * @throws IOException if a file is not one of figures
   */
  int print(PrintWriter out) throws IOException {
    Results one = ResultsReader.read(before);
    Results other = ResultsReader.read(after);
    List<Change> changes = Change.between(new Summary(one), new Summary(other));
    out.println("first   " + before);
    out.println("second  " + after);
    out.println();
    out.print(ChangeTables.changes(changes).text());
    out.println();
    out.println(ChangeTables.verdict(changes));
    Table differences = ChangeTables.differences(one, other);
    if (!differences.isEmpty()) {
      out.println();
      out.println("What else differs, and may be the cause:");
      out.println();
      out.print(differences.text());
    }
    return 0;
  }
}
