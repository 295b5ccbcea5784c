package dev.siltstone.bench.run;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Plan;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The process that holds one engine. It does what its standard input says, one {@link Message} at a
 * time, and answers on its standard output:
 *
 * <pre>
 *   open engine= dir= memtable= cache= compress=          ready settings=, or
 *                                                         absent reason= (ends)
 *   run workload= entries= reads= value= seed= cap=       progress share= (several), then
 *                                                         done ... or failed message=
 *   quit, or the end of the input                         (ends)
 * </pre>
 *
 * When the parent dies the input ends, and so does this process, in the middle of whatever it does.
 */
public final class Child {
  private static final int QUEUE_MAX = 16;
  private static final int CAUSES_MAX = 5;
  private static final Message QUIT = Message.of("quit");

  private final PrintStream answers;
  private final Clock clock = new SystemClock();

  private Child(PrintStream answers) {
    this.answers = answers;
  }

  /** Runs until told to quit. Takes no arguments. */
  public static void main(String[] args) throws Exception {
    PrintStream answers =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    // What a library prints must not come between the answers.
    System.setOut(System.err);
    new Child(answers).serve(listen());
  }

  private static BlockingQueue<Message> listen() {
    BlockingQueue<Message> queue = new LinkedBlockingQueue<>(QUEUE_MAX);
    Thread.ofPlatform().daemon().name("bench-listen").start(() -> listen(queue));
    return queue;
  }

  private static void listen(BlockingQueue<Message> queue) {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        Message message = Message.parse(line);
        if (message != null) {
          queue.put(message);
        }
      }
    } catch (IOException e) {
      // As good as the end of the input.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    // The parent is gone: nobody waits for an answer, and a benchmark must not linger.
    Runtime.getRuntime().halt(0);
  }

  private void serve(BlockingQueue<Message> queue) throws Exception {
    Message open = queue.take();
    Engine engine = Engine.of(open.get("engine"));
    StoreConfig config =
        new StoreConfig(
            open.number("memtable"),
            open.number("cache"),
            Boolean.parseBoolean(open.get("compress")),
            true);
    Path directory = Path.of(open.get("dir"));
    Session.Opener opener =
        (folder, compacts) -> engine.open(folder, compacts ? config : config.uncompacted());
    String reason = reasonOfAbsence(opener, directory);
    if (!reason.isEmpty()) {
      say(Message.of("absent").with("reason", reason));
      return;
    }
    try (Session session = new Session(opener, directory, clock)) {
      say(Message.of("ready").with("settings", engine.settings(config)));
      for (Message next = queue.take(); !next.kind().equals(QUIT.kind()); next = queue.take()) {
        say(answer(session, next));
      }
    }
    say(Message.of("bye"));
  }

  /** Why the engine does not run on this machine, or empty: it is opened, used and closed once. */
  private static String reasonOfAbsence(Session.Opener opener, Path directory) throws IOException {
    Directories.renew(directory);
    try (Store probe = opener.open(directory, true)) {
      probe.put(Keys.key(0), Keys.key(0));
      return "";
    } catch (RuntimeException | LinkageError e) {
      e.printStackTrace();
      return withCauses(e);
    }
  }

  /** What failed and why, in one line: libraries often say the cause in the last of them only. */
  private static String withCauses(Throwable failure) {
    StringBuilder text = new StringBuilder(failure.toString());
    Throwable cause = failure.getCause();
    for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
      text.append("; because of ").append(cause);
      cause = cause.getCause();
    }
    return text.toString().replace('\n', ' ');
  }

  private Message answer(Session session, Message request) throws InterruptedException {
    try {
      Plan plan =
          new Plan(
              request.number("entries"),
              request.number("reads"),
              Math.toIntExact(request.number("value")),
              request.number("seed"));
      Outcome outcome =
          session.run(
              Catalog.of(request.get("workload")),
              plan,
              request.real("cap"),
              share -> say(Message.of("progress").with("share", share)));
      return OutcomeMessage.of(outcome);
    } catch (IOException | RuntimeException e) {
      e.printStackTrace();
      return Message.of("failed").with("message", e.getMessage() == null ? e : e.getMessage());
    }
  }

  private void say(Message message) {
    answers.println(message.line());
  }
}
