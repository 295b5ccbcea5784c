package dev.siltstone.base.io;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A file system that passes every call on to another; for wrappers that change only some. */
public class FilterFileSystem implements FileSystem {
  private final FileSystem delegate;

  /** A file system that behaves like {@code delegate} until a method is overridden. */
  protected FilterFileSystem(FileSystem delegate) {
    this.delegate = delegate;
  }

  /** The file system behind this one. */
  protected final FileSystem delegate() {
    return delegate;
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    delegate.createDirectories(directory);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return delegate.list(directory);
  }

  @Override
  public boolean exists(Path file) throws IOException {
    return delegate.exists(file);
  }

  @Override
  public boolean isSymbolicLink(Path file) {
    return delegate.isSymbolicLink(file);
  }

  @Override
  public long size(Path file) throws IOException {
    return delegate.size(file);
  }

  @Override
  public void rename(Path source, Path target) throws IOException {
    delegate.rename(source, target);
  }

  @Override
  public void remove(Path file) throws IOException {
    delegate.remove(file);
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    delegate.link(existing, link);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    delegate.syncDirectory(directory);
  }

  @Override
  public void syncFile(Path file) throws IOException {
    delegate.syncFile(file);
  }

  @Override
  public WritableFile create(Path file) throws IOException {
    return delegate.create(file);
  }

  @Override
  public ReadableFile open(Path file) throws IOException {
    return delegate.open(file);
  }

  @Override
  public MappedFile map(Path file, long bytes) throws IOException {
    return delegate.map(file, bytes);
  }

  @Override
  public FileLock lock(Path file, String owner) throws IOException {
    return delegate.lock(file, owner);
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return delegate.usableBytes(directory);
  }
}
