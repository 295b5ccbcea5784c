package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import dev.siltstone.testkit.golden.GoldenTest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: what is picked in which situation, to be read as a table.
// Method: texts of question, situation, "----" and answer.
final class LeveledPickerGoldenTest {
  @ParameterizedTest
  @ValueSource(strings = {"level0", "sizes", "dead", "shares", "manual"})
  void picksAsWritten(String name) throws Exception {
    Path file = Path.of("src/test/golden/picker", name + ".txt");
    GoldenTest.run(file, input -> new Table(input.input()).answer(input));
  }

  /** One situation. */
  private static final class Table {
    private final Map<String, Long> settings = new HashMap<>();
    private final List<List<FileMeta>> levels = new ArrayList<>();
    private final List<Compaction> running = new ArrayList<>();
    private final Set<Long> covered = new HashSet<>();
    private long cutoff;

    Table(String text) {
      for (int i = 0; i < Version.LEVELS; i++) {
        levels.add(new ArrayList<>());
      }
      for (String line : text.split("\n")) {
        read(line.split(" "));
      }
    }

    private void read(String[] words) {
      switch (words[0]) {
        case "settings" -> settings.putAll(numbers(words, 1));
        case "cutoff" -> cutoff = Long.parseLong(words[1]);
        case "covered" -> covered.add(Long.parseLong(words[1]));
        case "running" -> running.add(runningCompaction(words));
        default -> addFile(words);
      }
    }

    String answer(GoldenTest.Case question) {
      return switch (question.command()) {
        case "pick" -> text(picker().pick(situation()));
        case "targets" -> targets();
        case "debt" -> Long.toString(picker().debtBytes(situation().version()));
        case "manual" -> manual(bounds(question.arguments().getFirst()), question.has("all"));
        default -> throw new IllegalArgumentException(question.command());
      };
    }

    private void addFile(String[] words) {
      int level = words[0].charAt(1) - '0';
      byte[][] bounds = bounds(words[2]);
      Map<String, Long> numbers = numbers(words, 3);
      FileMeta file =
          new FileMeta(
              Long.parseLong(words[1]),
              numbers.getOrDefault("bytes", 100L),
              bounds[0],
              bounds[1],
              numbers.getOrDefault("time", 1L),
              numbers.getOrDefault("timeMax", 9L),
              numbers.getOrDefault("entries", 10L),
              numbers.getOrDefault("deletes", 0L),
              numbers.getOrDefault("rangeDeletes", 0L),
              numbers.getOrDefault("subtrees", 0L),
              numbers.getOrDefault("obsolete", 0L),
              numbers.getOrDefault("expiring", 0L),
              numbers.getOrDefault("maxExpiry", 0L),
              100,
              new long[0]);
      levels.get(level).add(file);
      sort(level);
    }

    private void sort(int level) {
      levels
          .get(level)
          .sort(
              level == 0
                  ? Comparator.comparing(FileMeta::number).reversed()
                  : (a, b) -> Bytes.compare(a.lower(), b.lower()));
    }

    /** "name=number" or "name=from-to". */
    private static Map<String, Long> numbers(String[] words, int from) {
      Map<String, Long> numbers = new HashMap<>();
      for (int i = from; i < words.length; i++) {
        String[] parts = words[i].split("[=-]");
        numbers.put(parts[0], Long.parseLong(parts[1]));
        if (parts.length > 2) {
          numbers.put(parts[0] + "Max", Long.parseLong(parts[2]));
        }
      }
      return numbers;
    }

    private static byte[][] bounds(String text) {
      String[] parts = text.substring(1, text.length() - 1).split("\\.\\.");
      return new byte[][] {
        parts[0].getBytes(StandardCharsets.UTF_8), parts[1].getBytes(StandardCharsets.UTF_8)
      };
    }

    private Compaction runningCompaction(String[] words) {
      int level = words[1].charAt(1) - '0';
      int outputLevel = words[1].charAt(5) - '0';
      List<List<FileMeta>> files = List.of(new ArrayList<>(), new ArrayList<>());
      for (int i = 2; i < words.length; i++) {
        long number = Long.parseLong(words[i]);
        for (FileMeta file : levels.get(level)) {
          if (file.number() == number) {
            files.get(0).add(file);
          }
        }
        for (FileMeta file : levels.get(outputLevel)) {
          if (file.number() == number && level != outputLevel) {
            files.get(1).add(file);
          }
        }
      }
      return new Compaction(
          Compaction.Action.MERGE,
          Compaction.Reason.SIZE,
          level,
          outputLevel,
          files.get(0),
          files.get(1),
          List.of());
    }

    private CompactionSettings settings() {
      return new CompactionSettings(
          settings.getOrDefault("files", 4L).intValue(),
          settings.getOrDefault("fanout", 8L).intValue(),
          settings.getOrDefault("base", 1_000L),
          settings.getOrDefault("file", 100L),
          settings.getOrDefault("overlap", 1_000_000L),
          settings.getOrDefault("job", 1_000_000L),
          settings.getOrDefault("dead", 30L).intValue());
    }

    private LeveledPicker picker() {
      return new LeveledPicker(settings());
    }

    private CompactionPicker.Situation situation() {
      return new CompactionPicker.Situation(
          new Version(levels),
          running,
          cutoff,
          (file, _, _) -> covered.contains(file.number()),
          settings.getOrDefault("compressed", 0L).intValue());
    }

    private String targets() {
      int first = running.stream().mapToInt(Compaction::outputLevel).min().orElse(Version.LEVELS);
      LevelTargets targets = new LevelTargets(new Version(levels), settings(), first);
      StringBuilder text = new StringBuilder("base L" + targets.base());
      for (int level = targets.base(); level < Version.LEVELS - 1; level++) {
        text.append("\nL").append(level).append(" target ").append(targets.target(level));
      }
      return text.toString();
    }

    private String manual(byte[][] bounds, boolean all) {
      ManualCompaction manual = new ManualCompaction(bounds[0], bounds[1], all);
      StringBuilder text = new StringBuilder();
      for (long number = 100; ; number++) {
        Compaction step = picker().pick(manual, situation());
        if (step == null) {
          return text.append(manual.isDone() ? "done" : "waits").toString();
        }
        text.append(text(step)).append('\n');
        carryOut(step, number);
      }
    }

    private void carryOut(Compaction step, long number) {
      long subtrees = step.files().stream().mapToLong(FileMeta::subtrees).sum();
      levels.get(step.level()).removeAll(step.files());
      levels.get(step.outputLevel()).removeAll(step.files());
      FileMeta merged =
          new FileMeta(
              number,
              100,
              step.lower(),
              step.upper(),
              1,
              9,
              10,
              0,
              0,
              subtrees,
              0,
              0,
              0,
              100,
              new long[0]);
      levels
          .get(step.outputLevel())
          .addAll(step.action() == Compaction.Action.MOVE ? step.inputs() : List.of(merged));
      sort(step.outputLevel());
    }

    private static String text(Compaction compaction) {
      return compaction == null
          ? "none"
          : compaction.action()
              + " "
              + compaction.reason()
              + " L"
              + compaction.level()
              + text(compaction.inputs())
              + " -> L"
              + compaction.outputLevel()
              + text(compaction.targets())
              + (compaction.grandparents().isEmpty()
                  ? ""
                  : " grandparents" + text(compaction.grandparents()));
    }

    private static String text(List<FileMeta> files) {
      List<String> numbers = files.stream().map(file -> Long.toString(file.number())).toList();
      return "[" + String.join(" ", numbers) + "]";
    }
  }
}
