package dev.siltstone.bench.result;

import dev.siltstone.bench.report.Table;
import dev.siltstone.bench.report.Units;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Two results beside each other, as tables. */
public final class ChangeTables {
  /** Facts that differ between any two runs and explain nothing. */
  private static final Set<String> IDLE_FACTS = Set.of("date", "load before", "disk", "memory");

  private ChangeTables() {}

  /** Every row that either has. */
  public static Table changes(List<Change> changes) {
    Table table =
        new Table("workload", "entries", "engine", "first", "second", "ratio", "noise", "verdict");
    for (Change change : changes) {
      table.row(
          change.key().work(),
          Units.count(change.key().entries()),
          change.engine(),
          Units.rate(change.before().median()),
          Units.rate(change.after().median()),
          Units.ratio(change.ratio()),
          change.before().rounds() > 1 && change.after().rounds() > 1
              ? Units.percent(change.noise())
              : "-",
          change.verdict().text());
    }
    return table;
  }

  /** One sentence: how many rows are faster and slower, and whether that means anything. */
  public static String verdict(List<Change> changes) {
    Map<Change.Verdict, Integer> counts = new LinkedHashMap<>();
    for (Change.Verdict verdict : Change.Verdict.values()) {
      counts.put(verdict, 0);
    }
    changes.forEach(change -> counts.merge(change.verdict(), 1, Integer::sum));
    List<String> parts = new ArrayList<>();
    counts.forEach((verdict, count) -> parts.add(count + " " + verdict.text()));
    String hint =
        counts.getOrDefault(Change.Verdict.TOO_FEW_ROUNDS, 0) > 0
            ? "; run with --rounds=3 or more to know the noise"
            : "";
    return changes.size() + " rows: " + String.join(", ", parts) + hint;
  }

  /** Where machine, setup and engines of two results are not the same. */
  public static Table differences(Results before, Results after) {
    Table table = new Table("differs", "first", "second");
    differences(table, facts(before), facts(after));
    return table;
  }

  private static Map<String, String> facts(Results results) {
    Map<String, String> facts = new LinkedHashMap<>(results.machine());
    facts.keySet().removeAll(IDLE_FACTS);
    facts.putAll(new ResultTables(new Summary(results)).setup());
    return facts;
  }

  private static void differences(
      Table table, Map<String, String> before, Map<String, String> after) {
    Set<String> names = new LinkedHashSet<>(before.keySet());
    names.addAll(after.keySet());
    for (String name : names) {
      String one = before.getOrDefault(name, "-");
      String other = after.getOrDefault(name, "-");
      if (!one.equals(other)) {
        table.row(name, one, other);
      }
    }
  }
}
