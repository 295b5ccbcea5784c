package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

// Goal: code of the application that the store calls on its own threads cannot make the store wait
// for itself; it is told so, and the store goes on.
// Method: a listener and a compaction filter that make every call that waits.
final class OwnThreadsTest {
  private static final Path STORE = Path.of("/store");

  private final Components components = Components.DEFAULT.withFileSystem(new SimFileSystem());
  private final AtomicReference<@Nullable Db> open = new AtomicReference<>();
  private final List<String> answers = Collections.synchronizedList(new ArrayList<>());

  @Test
  void aListenerCannotWaitForItsOwnThread() {
    EventListener listener =
        new EventListener() {
          @Override
          public void flushed(String tree, long bytes, long nanos) {
            callAll();
          }
        };
    try (Db db = Db.open(STORE, Options.DEFAULT, components.withListener(listener))) {
      open.set(db);
      db.put(bytes("a"), bytes("1"));
      db.flush();
      db.awaitQuiet();
      requireRefused();
      db.put(bytes("a"), bytes("2"));
      assertThat(db.get(bytes("a"))).as("the store goes on").isEqualTo(bytes("2"));
    }
    assertThatThrownBy(() -> require(open.get()).get(bytes("a")))
        .isInstanceOf(DbException.Closed.class);
  }

  @Test
  void aCompactionFilterCannotWaitForItsOwnThread() {
    CompactionFilter filter =
        entry -> {
          callAll();
          return CompactionFilter.Verdict.KEEP;
        };
    TreeOptions filtered = TreeOptions.DEFAULT.withCompactionFilter("own");
    Components filtering = components.withCompactionFilters(Map.of("own", _ -> filter));
    Options options = Options.builder().defaultTree(filtered).build();
    try (Db db = Db.open(STORE, options, filtering)) {
      open.set(db);
      db.put(bytes("a"), bytes("1"));
      db.compact(KeyRange.ALL);
      requireRefused();
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void aListenerMayCloseAStoreThatIsNotItsOwn() {
    Db other = Db.open(Path.of("/other"), Options.DEFAULT, components);
    List<String> thrown = Collections.synchronizedList(new ArrayList<>());
    EventListener listener =
        new EventListener() {
          @Override
          public void flushed(String tree, long bytes, long nanos) {
            answer("close", other::close, thrown);
          }
        };
    try (Db db = Db.open(STORE, Options.DEFAULT, components.withListener(listener))) {
      db.put(bytes("a"), bytes("1"));
      db.flush();
      db.awaitQuiet();
    }
    assertThat(thrown).containsExactly("close: nothing");
    assertThatThrownBy(() -> other.get(bytes("a"))).isInstanceOf(DbException.Closed.class);
  }

  private void callAll() {
    Db db = require(open.get());
    Map<String, Runnable> calls = new LinkedHashMap<>();
    calls.put("Db.close", db::close);
    calls.put("Db.flush", db::flush);
    calls.put("Tree.flush", () -> db.tree().flush());
    calls.put("Tree.compact", () -> db.compact(KeyRange.ALL));
    calls.put("Db.awaitQuiet", db::awaitQuiet);
    calls.put("Db.dropTree", () -> db.dropTree("none"));
    calls.put("Tree.ingest", () -> db.tree().ingest(List.of()));
    calls.put("Db.checkpoint", () -> db.checkpoint(Path.of("/copy")));
    calls.forEach((name, call) -> answer(name, call, answers));
  }

  private static void answer(String name, Runnable call, List<String> answers) {
    try {
      call.run();
      answers.add(name + ": nothing");
    } catch (RuntimeException e) {
      answers.add(
          e instanceof IllegalStateException
                  && e.getMessage().startsWith(name + " was called by a listener or a compaction")
              ? "refused"
              : name + ": " + e);
    }
  }

  private void requireRefused() {
    assertThat(answers).hasSizeGreaterThanOrEqualTo(8).containsOnly("refused");
  }

  private static Db require(@Nullable Db db) {
    assertThat(db).isNotNull();
    return db;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
