package dev.siltstone.testkit.run;

import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.time.SimClock;

/**
 * A machine in memory: disk, clock and scheduler that all follow one seed. After a crash the next
 * machine goes on with the disk that was left and the same clock.
 *
 * @param seed where the randomness comes from
 * @param fileSystem the disk
 * @param clock the time
 * @param scheduler the threads
 */
public record Simulation(
    Seed seed, SimFileSystem fileSystem, SimClock clock, SimScheduler scheduler) {

  /** A new machine with an empty disk. */
  public static Simulation of(Seed seed) {
    SimClock clock = new SimClock();
    SimScheduler scheduler = new SimScheduler(clock, seed.random("scheduler"));
    return new Simulation(seed, new SimFileSystem(), clock, scheduler);
  }

  /** The machine that starts with a disk another one has left. */
  public Simulation restart(SimFileSystem disk) {
    Seed next = seed.derive("restart");
    return new Simulation(next, disk, clock, new SimScheduler(clock, next.random("scheduler")));
  }
}
