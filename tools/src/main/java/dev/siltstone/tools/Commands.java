package dev.siltstone.tools;

import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** All commands, and how the help shows them: by what they are for, with examples. */
final class Commands {
  /** What a person wants to do, and the commands for it with a line each. */
  private record Group(String title, List<String> commands) {}

  private static final List<Group> GROUPS =
      List.of(
          new Group("Read and write", List.of("get", "put", "del", "scan", "count")),
          new Group("Many entries at once", List.of("load", "dump")),
          new Group("Look inside", List.of("levels", "stats")),
          new Group(
              "Keep healthy", List.of("compact", "checkpoint", "verify", "repair", "doctor")));

  private static final Map<String, String> SUMMARIES =
      Map.ofEntries(
          Map.entry("get", "print the value of a key"),
          Map.entry("put", "put a value"),
          Map.entry("del", "delete keys, or a range of keys"),
          Map.entry("scan", "print entries in key order"),
          Map.entry("count", "count entries"),
          Map.entry("load", "put the entries of a file: hex TSV, CSV or JSON Lines"),
          Map.entry("dump", "write entries to a file that 'load' reads"),
          Map.entry("levels", "what each level holds, and how much of it is dead"),
          Map.entry("stats", "what the store consists of"),
          Map.entry("compact", "merge files and drop what is dead"),
          Map.entry("checkpoint", "make a copy that shares the files, in a moment"),
          Map.entry("verify", "read everything, report damage with file and offset"),
          Map.entry("repair", "make a new store of what can be read of a damaged one"),
          Map.entry("doctor", "check the machine and a directory for what a store needs"));

  private static final String[] EXAMPLES = {
    "",
    "Examples:",
    "  siltstone put data user:1 ada --create   make a store in ./data, put a value",
    "  siltstone scan data --prefix user:       the entries whose key begins so",
    "  siltstone get data u64le:42              keys: text, 0x75, u64le:42, u64be:42",
    "  siltstone dump data all.csv --encoding text",
    "  siltstone load copy all.csv --encoding text --create",
    "  siltstone levels data                    also while a program writes the store",
    "",
    "Reading commands take no lock and write nothing. --json answers programs.",
    "Exit status: 0 done; 1 failed, damaged, or no such key; 2 not understood.",
    "'siltstone help <command>' tells more of each.",
  };

  private Commands() {}

  /** One of each. */
  static List<Object> all(Terminal terminal) {
    return List.of(
        new GetCommand(terminal),
        new PutCommand(terminal),
        new DeleteCommand(),
        new ScanCommand(terminal),
        new CountCommand(terminal),
        new LoadCommand(terminal),
        new DumpCommand(terminal),
        new LevelsCommand(terminal),
        new StatsCommand(terminal),
        new CompactCommand(terminal),
        new CheckpointCommand(terminal),
        new VerifyCommand(terminal),
        new RepairCommand(terminal),
        new DoctorCommand(terminal),
        new HelpCommand());
  }

  /** Makes the help of the whole show groups and examples. */
  static void arrangeHelp(CommandLine line) {
    line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, _ -> list());
    line.getCommandSpec().usageMessage().commandListHeading("").footer(EXAMPLES);
  }

  private static String list() {
    StringBuilder out = new StringBuilder();
    for (Group group : GROUPS) {
      out.append('\n').append(group.title()).append(":\n");
      for (String command : group.commands()) {
        out.append("  %-10s  %s\n".formatted(command, SUMMARIES.get(command)));
      }
    }
    return out.toString();
  }
}
