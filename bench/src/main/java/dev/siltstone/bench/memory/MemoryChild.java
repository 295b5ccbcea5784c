package dev.siltstone.bench.memory;

import dev.siltstone.base.time.SystemClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The process of a trial: {@code MemoryChild TRIAL DIRECTORY ENTRIES SECONDS}. */
final class MemoryChild {
  private MemoryChild() {}

  public static void main(String[] args) throws Exception {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    Trials trial = Trials.of(args[0]);
    Trial.Size size = new Trial.Size(Long.parseLong(args[2]), Long.parseLong(args[3]));
    trial.make().run(Path.of(args[1]), size, new Report(out, new SystemClock()));
    out.println("right");
  }
}
