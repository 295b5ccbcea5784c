package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.disk.SimFileSystem;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

// Goal: what a log or a debugger shows of an object of the API says what and where it is, and
// whether it can still be used; to ask never fails.
// Method: a store in memory.
final class ToStringTest {
  private static final Path STORE = Path.of("/store");

  private final Components components = Components.DEFAULT.withFileSystem(new SimFileSystem());

  @Test
  void everyObjectSaysWhatItIsAlsoAfterItsEnd() {
    Db db = Db.open(STORE, Options.DEFAULT, components);
    db.put(bytes("k"), bytes("v"));
    db.put(new byte[1000], bytes("v"));
    Tree dropped = db.openTree("dropped", TreeOptions.DEFAULT);
    assertThat(db).hasToString("store /store (open, 2 trees)");
    db.dropTree("dropped");
    assertThat(db.tree()).hasToString("tree 'default' of /store");
    assertThat(dropped).hasToString("tree 'dropped' of /store (dropped)");

    Cursor cursor = db.cursor();
    assertThat(cursor).hasToString("cursor on tree 'default' (on no entry)");
    cursor.last();
    assertThat(cursor).hasToString("cursor on tree 'default' (at key 6b)");
    cursor.first();
    assertThat(cursor)
        .hasToString("cursor on tree 'default' (at key " + "0".repeat(64) + "... of 1000 bytes)");
    Cursor closed = db.cursor();
    closed.close();
    assertThat(closed).hasToString("cursor on tree 'default' (closed)");

    Snapshot snapshot = db.snapshot();
    Instant time = snapshot.time();
    assertThat(snapshot).hasToString("snapshot of " + time + " (open)");

    WriteBatch batch = db.newBatch();
    assertThat(batch).hasToString("batch of 0 writes, " + batch.bytes() + " bytes");
    batch.put(bytes("k"), bytes("w")).put(bytes("large"), new byte[1 << 20]);
    String filled = "batch of 2 writes, " + batch.bytes() + " bytes, 1 values stored apart";
    assertThat(batch).hasToString(filled);
    db.write(batch);
    assertThat(batch).hasToString(filled + " (written)");

    db.close();
    assertThat(db).hasToString("store /store (closed, 1 trees)");
    assertThat(db.tree()).hasToString("tree 'default' of /store (closed)");
    assertThat(dropped).hasToString("tree 'dropped' of /store (dropped)");
    assertThat(cursor).hasToString("cursor on tree 'default' (on no entry)");
    cursor.close();
    snapshot.close();
    assertThat(cursor).hasToString("cursor on tree 'default' (closed)");
    assertThat(snapshot).hasToString("snapshot of " + time + " (closed)");
    assertThat(batch).hasToString(filled + " (written)");
    try (Db reading = Db.openReadOnly(STORE, Options.DEFAULT, components)) {
      assertThat(reading).hasToString("store /store (open for reading, 1 trees)");
    }
  }

  @Test
  void aWriterOfATableFileSaysWhatHasBecomeOfIt() {
    Path path = Path.of("/t.table");
    TableFileWriter writer = TableFileWriter.create(path, TreeOptions.DEFAULT, components);
    writer.put(bytes("k"), bytes("v"));
    assertThat(writer).hasToString("table file /t.table (open, 1 entries)");
    writer.finish();
    assertThat(writer).hasToString("table file /t.table (finished, 1 entries)");
    writer.close();
    assertThat(writer).hasToString("table file /t.table (closed, 1 entries)");
  }

  @Test
  void optionsNameEveryOneOfThem() {
    String text = Options.builder().levelFanout(7).build().toString();
    assertThat(text).startsWith("Options[").contains("levelFanout=7,").contains("defaultTree=null");
    assertThat(TreeOptions.DEFAULT.toString()).contains("subtrees=none,");
    for (Method method : Options.class.getDeclaredMethods()) {
      int modifiers = method.getModifiers();
      if (Modifier.isPublic(modifiers)
          && !Modifier.isStatic(modifiers)
          && !method.getName().equals("toString")) {
        assertThat(text).contains(method.getName() + "=");
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
