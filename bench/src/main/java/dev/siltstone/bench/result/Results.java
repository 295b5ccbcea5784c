package dev.siltstone.bench.result;

import dev.siltstone.bench.measure.Outcome;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that a call of {@code bench run} or {@code bench compare} found out.
 *
 * @param machine facts about the machine, by name
 * @param setup data and runs, in words, by name
 * @param engines those that were asked for; the others are compared with the first
 * @param works what was run, in order
 * @param runs every run of a work on an engine, in the order in which they were made
 */
public record Results(
    Map<String, String> machine,
    Map<String, String> setup,
    List<EngineFacts> engines,
    List<WorkFacts> works,
    List<Run> runs) {

  /** Copies all. */
  public Results {
    machine = Collections.unmodifiableMap(new LinkedHashMap<>(machine));
    setup = Collections.unmodifiableMap(new LinkedHashMap<>(setup));
    engines = List.copyOf(engines);
    works = List.copyOf(works);
    runs = List.copyOf(runs);
  }

  /** Whether something failed that an engine can do; an engine that is absent has not failed. */
  public boolean failed() {
    return runs.stream().anyMatch(run -> run.outcome() == null && run.possible());
  }

  /**
   * An engine.
   *
   * @param name as on the command line
   * @param about what it is, with its version
   * @param lsm whether it is a log-structured merge tree
   * @param settings it ran with, in words
   * @param jvm arguments of its JVM, without the class path
   * @param absent why it does not run on this machine, or empty
   */
  public record EngineFacts(
      String name, String about, boolean lsm, String settings, String jvm, String absent) {}

  /**
   * A work.
   *
   * @param name as on the command line
   * @param about what is done and counted
   */
  public record WorkFacts(String name, String about) {}

  /**
   * One run.
   *
   * @param round from 1
   * @param work its name
   * @param engine its name
   * @param entries of a filled store
   * @param outcome what came out, or null if it failed or the engine cannot do it
   * @param failure why there is no outcome, or empty
   * @param possible whether the engine has what the work needs
   */
  public record Run(
      int round,
      String work,
      String engine,
      long entries,
      @Nullable Outcome outcome,
      String failure,
      boolean possible) {}
}
