package dev.siltstone.tools;

import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.TableFile;
import java.util.List;

/** The table files of a tree, for a person and for a program. */
final class FilesText {
  private FilesText() {}

  /** A table, one row a file. */
  static String table(List<TableFile> files) {
    Table table =
        new Table(
            ">level",
            "file",
            ">bytes",
            ">raw",
            ">entries",
            ">deletes",
            ">obsolete",
            ">ranges",
            "newest write",
            "lower",
            "upper");
    for (TableFile file : files) {
      TableFile.Records records = file.records();
      table.row(
          Integer.toString(file.level()),
          file.name(),
          Units.bytes(file.bytes()),
          Units.bytes(file.layout().rawBytes()),
          Units.count(records.entries()),
          Units.percent(records.deletes(), records.entries()),
          Units.percent(records.obsolete(), records.entries()),
          Units.count(records.rangeDeletes()),
          file.newest().toString(),
          lower(file.keys()),
          upper(file.keys()));
    }
    return table.text();
  }

  /** A member with an array of all files. */
  static void json(JsonWriter json, List<TableFile> files) {
    json.array("tableFiles");
    for (TableFile file : files) {
      json(json, file);
    }
    json.end();
  }

  private static void json(JsonWriter json, TableFile file) {
    TableFile.Records records = file.records();
    TableFile.Layout layout = file.layout();
    json.object()
        .member("file", file.name())
        .member("level", file.level())
        .member("levelWritten", file.levelWritten())
        .member("bytes", file.bytes())
        .member("lower", lower(file.keys()))
        .member("upper", upper(file.keys()))
        .member("oldest", file.oldest().toString())
        .member("newest", file.newest().toString())
        .member("created", file.created().toString())
        .member("lastExpiry", file.lastExpiry() == null ? null : file.lastExpiry().toString())
        .member("entries", records.entries())
        .member("deletes", records.deletes())
        .member("rangeDeletes", records.rangeDeletes())
        .member("subtrees", records.subtrees())
        .member("obsolete", records.obsolete())
        .member("expiring", records.expiring())
        .member("blobs", records.blobs())
        .member("rawBytes", layout.rawBytes())
        .member("dataBlocks", layout.dataBlocks())
        .member("dataRawBytes", layout.dataRawBytes())
        .member("dataBytes", layout.dataBytes())
        .member("indexBytes", layout.indexBytes())
        .member("filterBytes", layout.filterBytes())
        .end();
  }

  private static String lower(KeyRange keys) {
    byte[] lower = keys.lower();
    return lower == null ? "" : KeyText.Format.AUTO.of(lower);
  }

  private static String upper(KeyRange keys) {
    byte[] upper = keys.upper();
    return upper == null ? "" : KeyText.Format.AUTO.of(upper);
  }
}
