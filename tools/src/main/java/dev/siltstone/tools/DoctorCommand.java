package dev.siltstone.tools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code siltstone doctor}. */
@Command(
    name = "doctor",
    description =
        "Checks the machine and a directory for what a store needs: Java, memory, file system,"
            + " speed of syncs, space, clock, all files of the store, and who has it open. The"
            + " directory may be missing still. Exit status 1 if something will not work.")
final class DoctorCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "DIR", description = "The directory of the store.")
  private Path directory = Path.of("");

  @Option(names = "--quick", description = "Do not read all files of the store.")
  private boolean quick;

  @Mixin private JsonOptions json = new JsonOptions();

  DoctorCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    StoreOptions.requireDirectory(directory);
    List<Finding> findings = new Checkup(directory, terminal.clock(), quick).run();
    if (json.isSet()) {
      for (Finding finding : findings) {
        terminal
            .out()
            .line(
                new JsonWriter()
                    .object()
                    .member("check", finding.check())
                    .member("verdict", finding.verdict().word())
                    .member("found", finding.found())
                    .member("advice", finding.advice())
                    .end()
                    .toString());
      }
    } else {
      Table table = new Table("check", "", "found");
      for (Finding finding : findings) {
        String advice = finding.advice() == null ? "" : "; " + finding.advice();
        table.row(finding.check(), finding.verdict().word(), finding.found() + advice);
      }
      terminal.out().print(table.text());
    }
    boolean fails = findings.stream().anyMatch(f -> f.verdict() == Finding.Verdict.FAIL);
    return fails ? ExitCodes.FAILED : ExitCodes.OK;
  }
}
