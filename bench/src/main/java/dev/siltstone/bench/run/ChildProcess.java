package dev.siltstone.bench.run;

import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Work;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;

/** An engine in a process of its own, seen from the parent. Not for concurrent use. */
public final class ChildProcess implements AutoCloseable {
  /** A child that says nothing for so long hangs. Preparing a store says nothing. */
  private static final long SILENCE_MAX_SECONDS = 600;

  private static final long QUIT_MAX_SECONDS = 60;
  private static final int LOG_LINES = 20;
  private static final Message END = Message.of("end");

  private final Engine engine;
  private final Process process;
  private final PrintStream requests;
  private final BlockingQueue<Message> answers = new LinkedBlockingQueue<>();
  private final List<String> stray = new ArrayList<>();
  private final Path log;
  private final String settings;
  private final List<String> command;
  private boolean ended;

  /**
   * Starts a child.
   *
   * @param directory a folder that belongs to the child; its log lies beside the store
   * @param heap arguments of the JVM for the heap
   * @throws EngineAbsentException if the engine does not run on this machine; nothing is left
   *     running
   * @throws IOException if the folder or the process cannot be made
   */
  public ChildProcess(Engine engine, StoreConfig config, Path directory, List<String> heap)
      throws IOException, InterruptedException, EngineAbsentException {
    this.engine = engine;
    Files.createDirectories(directory);
    log = directory.resolve("engine.log");
    try {
      command = command(engine, heap);
    } catch (IllegalStateException e) {
      throw new EngineAbsentException(message(e), e);
    }
    process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(log.toFile())
            .start();
    requests = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().name("bench-" + engine.label()).start(this::read);
    requests.println(
        Message.of("open")
            .with("engine", engine.label())
            .with("dir", directory.resolve("store").toAbsolutePath())
            .with("memtable", config.memtableBytes())
            .with("cache", config.cacheBytes())
            .with("compress", config.compress())
            .line());
    try {
      settings = settings(take(_ -> {}));
    } catch (IOException e) {
      close();
      throw new EngineAbsentException(message(e), e);
    } catch (EngineAbsentException e) {
      close();
      throw e;
    }
  }

  private static String message(Exception failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  private static String settings(Message answer) throws EngineAbsentException {
    if (answer.kind().equals("absent")) {
      throw new EngineAbsentException(answer.get("reason"), null);
    }
    return answer.get("settings");
  }

  private static List<String> command(Engine engine, List<String> heap) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(heap);
    command.addAll(engine.jvmArguments());
    command.add("-cp");
    command.add(ClassPaths.of(engine, System.getProperty("java.class.path")));
    command.add(Child.class.getName());
    return command;
  }

  /** Which engine it holds. */
  public Engine engine() {
    return engine;
  }

  /** The settings the engine runs with, in words. */
  public String settings() {
    return settings;
  }

  /** Arguments of its JVM, class path left out. */
  public List<String> jvmArguments() {
    return List.copyOf(command.subList(1, command.indexOf("-cp")));
  }

  /**
   * Has the child run a work.
   *
   * @param progress told which share of the measured part is done
   * @throws IOException if the run failed, the answers were wrong or the child died; the message
   *     tells which
   */
  public Outcome run(Work work, Plan plan, double capSeconds, DoubleConsumer progress)
      throws IOException, InterruptedException {
    requests.println(
        Message.of("run")
            .with("workload", work.spec().name())
            .with("entries", plan.entries())
            .with("reads", plan.reads())
            .with("value", plan.valueBytes())
            .with("seed", plan.seed())
            .with("cap", capSeconds)
            .line());
    return OutcomeMessage.read(take(progress));
  }

  /** The next answer that is not progress. */
  private Message take(DoubleConsumer progress) throws IOException, InterruptedException {
    while (true) {
      if (ended) {
        throw new IOException(engine.label() + " has ended, as told before");
      }
      Message answer = answers.poll(SILENCE_MAX_SECONDS, TimeUnit.SECONDS);
      if (answer == null) {
        ended = true;
        process.destroyForcibly();
        throw new IOException(
            engine.label() + " said nothing for " + SILENCE_MAX_SECONDS + " s and was ended");
      }
      switch (answer.kind()) {
        case "progress" -> progress.accept(answer.real("share"));
        case "failed" -> throw new IOException(engine.label() + ": " + answer.get("message"));
        case "end" -> {
          ended = true;
          int status = process.waitFor();
          throw new IOException(
              engine.label()
                  + " ended with status "
                  + status
                  + "; its last words:\n"
                  + lastWords());
        }
        default -> {
          return answer;
        }
      }
    }
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        Message message = Message.parse(line);
        if (message != null) {
          answers.add(message);
        } else {
          keep(line);
        }
      }
    } catch (IOException e) {
      // The pipe broke: the same as its end.
    }
    answers.add(END);
  }

  /** Keeps the newest lines that are no answers: a JVM that cannot start says so there. */
  private void keep(String line) {
    synchronized (stray) {
      stray.add(line);
      if (stray.size() > LOG_LINES) {
        stray.removeFirst();
      }
    }
  }

  private String lastWords() throws IOException {
    List<String> lines = new ArrayList<>();
    synchronized (stray) {
      lines.addAll(stray);
    }
    lines.addAll(Files.readAllLines(log, StandardCharsets.ISO_8859_1));
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  /** Ends the child: asks it to close its store, and does not wait for ever. */
  @Override
  public void close() {
    requests.println(Message.of("quit").line());
    try {
      if (!process.waitFor(QUIT_MAX_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    requests.close();
  }
}
