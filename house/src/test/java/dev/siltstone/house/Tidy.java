package dev.siltstone.house;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.EnhancedForLoopTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.SwitchTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TryTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Measures one source file against the limits of the house, with the parser of the JDK. */
final class Tidy {
  static final int LINE_CHARS_MAX = 100;
  static final int FILE_LINES_MAX = 800;
  static final int METHOD_LINES_MAX = 70;

  /** Of what users call. */
  static final int DOOR_PARAMETERS_MAX = 6;

  /** Of the rest: (bytes, offset, length) for a key and for a value are six already. */
  static final int PARAMETERS_MAX = 8;

  /** The aim is 4. An optimistic retry loop around a tree walk needs one more. */
  static final int NESTING_MAX = 5;

  private static final Pattern OPEN_END = Pattern.compile("\\b(TO" + "DO|FIX" + "ME|XXX|HACK)\\b");
  private static final Pattern WITH_ISSUE = Pattern.compile("\\bTODO\\(#\\d+\\): \\S");
  private static final Pattern URL = Pattern.compile("https?://\\S+");

  private final String name;
  private final String source;
  private final List<String> found = new ArrayList<>();

  private Tidy(String name, String source) {
    this.name = name;
    this.source = source;
  }

  /**
   * What is wrong with a file, one line each.
   *
   * @param name the path in the repository, which decides which limits hold
   * @param source the text of the file
   */
  static List<String> check(String name, String source) throws IOException {
    Tidy tidy = new Tidy(name, source);
    tidy.checkLines();
    tidy.checkComments();
    if (name.contains("/src/main/java/")) {
      tidy.checkTree();
    }
    return tidy.found;
  }

  private void report(long line, String what) {
    found.add(name + ":" + line + ": " + what);
  }

  private void checkLines() {
    List<String> lines = source.lines().toList();
    if (lines.size() > FILE_LINES_MAX) {
      report(1, lines.size() + " lines in a file, at most " + FILE_LINES_MAX);
    }
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.length() > LINE_CHARS_MAX && !isFree(line)) {
        report(i + 1, line.length() + " characters in a line, at most " + LINE_CHARS_MAX);
      }
    }
  }

  /** Lines that cannot be broken. */
  private static boolean isFree(String line) {
    return line.startsWith("import ") || URL.matcher(line).find();
  }

  private void checkComments() {
    for (Comments.Comment comment : Comments.of(source)) {
      if (OPEN_END.matcher(comment.text()).find() && !WITH_ISSUE.matcher(comment.text()).find()) {
        report(comment.line(), "an open end without an issue: write TODO(#123): what");
      }
    }
  }

  private void checkTree() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavacTask task =
        (JavacTask)
            compiler.getTask(
                null, null, _ -> {}, List.of("-proc:none"), null, List.of(new Text(name, source)));
    DocTrees trees = DocTrees.instance(task);
    for (CompilationUnitTree unit : task.parse()) {
      if (name.endsWith("/package-info.java")) {
        checkPackage(unit, trees);
      } else {
        new Scanner(unit, trees).scan(new TreePath(unit), null);
      }
    }
  }

  private void checkPackage(CompilationUnitTree unit, DocTrees trees) {
    boolean marked =
        unit.getPackageAnnotations().stream()
            .anyMatch(a -> a.getAnnotationType().toString().equals("NullMarked"));
    if (!marked) {
      report(1, "a package without @NullMarked");
    }
    TreePath path = new TreePath(new TreePath(unit), unit.getPackage());
    if (trees.getDocCommentTree(path) == null && trees.getDocComment(path) == null) {
      report(1, "a package that does not say what it is for");
    }
  }

  /** Whether the file is in a package that users of the module see. */
  private boolean isInDoor() {
    return Layout.DOORS.values().stream()
        .flatMap(Set::stream)
        .map(door -> "/dev/siltstone/" + door.replace('.', '/') + "/")
        .anyMatch(path -> name.substring(0, name.lastIndexOf('/') + 1).endsWith(path));
  }

  private final class Scanner extends TreePathScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final DocTrees trees;
    private final SourcePositions positions;
    private int depth;

    Scanner(CompilationUnitTree unit, DocTrees trees) {
      this.unit = unit;
      this.trees = trees;
      this.positions = trees.getSourcePositions();
    }

    @Override
    public Void visitClass(ClassTree tree, Void unused) {
      if (isShown()) {
        requireDoc(tree, "type " + tree.getSimpleName());
      }
      return nested(0, () -> super.visitClass(tree, unused));
    }

    @Override
    public Void visitVariable(VariableTree tree, Void unused) {
      boolean isField = getCurrentPath().getParentPath().getLeaf() instanceof ClassTree;
      if (isField && isShown() && !isRecordComponent(tree)) {
        requireDoc(tree, "field " + tree.getName());
      }
      return super.visitVariable(tree, unused);
    }

    @Override
    public Void visitMethod(MethodTree tree, Void unused) {
      long lines = line(positions.getEndPosition(unit, tree)) - line(tree) + 1;
      if (lines > METHOD_LINES_MAX) {
        report(line(tree), lines + " lines in a method, at most " + METHOD_LINES_MAX);
      }
      boolean shown = isShown();
      int max = shown ? DOOR_PARAMETERS_MAX : PARAMETERS_MAX;
      boolean ofRecord = tree.getName().contentEquals("<init>") && enclosing() == Tree.Kind.RECORD;
      if (tree.getParameters().size() > max && !ofRecord) {
        report(line(tree), tree.getParameters().size() + " parameters, at most " + max);
      }
      if (shown && !isOverride(tree.getModifiers()) && !ofRecord) {
        requireDoc(tree, "method " + tree.getName());
      }
      return nested(0, () -> super.visitMethod(tree, unused));
    }

    @Override
    public Void visitLambdaExpression(LambdaExpressionTree tree, Void unused) {
      return tree.getBody() instanceof BlockTree
          ? deeper(tree, () -> super.visitLambdaExpression(tree, unused))
          : super.visitLambdaExpression(tree, unused);
    }

    @Override
    public Void visitIf(IfTree tree, Void unused) {
      boolean isElseIf =
          getCurrentPath().getParentPath().getLeaf() instanceof IfTree outer
              && outer.getElseStatement() == tree;
      return isElseIf
          ? super.visitIf(tree, unused)
          : deeper(tree, () -> super.visitIf(tree, unused));
    }

    @Override
    public Void visitForLoop(ForLoopTree tree, Void unused) {
      return deeper(tree, () -> super.visitForLoop(tree, unused));
    }

    @Override
    public Void visitEnhancedForLoop(EnhancedForLoopTree tree, Void unused) {
      return deeper(tree, () -> super.visitEnhancedForLoop(tree, unused));
    }

    @Override
    public Void visitWhileLoop(WhileLoopTree tree, Void unused) {
      return deeper(tree, () -> super.visitWhileLoop(tree, unused));
    }

    @Override
    public Void visitDoWhileLoop(DoWhileLoopTree tree, Void unused) {
      return deeper(tree, () -> super.visitDoWhileLoop(tree, unused));
    }

    @Override
    public Void visitTry(TryTree tree, Void unused) {
      return deeper(tree, () -> super.visitTry(tree, unused));
    }

    @Override
    public Void visitSynchronized(SynchronizedTree tree, Void unused) {
      return deeper(tree, () -> super.visitSynchronized(tree, unused));
    }

    @Override
    public Void visitSwitch(SwitchTree tree, Void unused) {
      return deeper(tree, () -> super.visitSwitch(tree, unused));
    }

    @Override
    public Void visitSwitchExpression(SwitchExpressionTree tree, Void unused) {
      return deeper(tree, () -> super.visitSwitchExpression(tree, unused));
    }

    private Void deeper(Tree tree, Runnable visit) {
      if (depth + 1 == NESTING_MAX + 1) {
        report(line(tree), "nested deeper than " + NESTING_MAX);
      }
      return nested(depth + 1, visit);
    }

    private Void nested(int newDepth, Runnable visit) {
      int outer = depth;
      depth = newDepth;
      visit.run();
      depth = outer;
      return null;
    }

    private void requireDoc(Tree tree, String what) {
      DocCommentTree doc = trees.getDocCommentTree(getCurrentPath());
      if (doc == null) {
        report(line(tree), what + " is public but says nothing");
      }
    }

    /** Whether what is visited, and all around it, is seen by users of the module. */
    private boolean isShown() {
      if (!isInDoor()) {
        return false;
      }
      for (TreePath path = getCurrentPath(); path != null; path = path.getParentPath()) {
        boolean shown =
            switch (path.getLeaf()) {
              case ClassTree c -> isOpen(c.getModifiers(), path);
              case MethodTree m -> isOpen(m.getModifiers(), path);
              case VariableTree v -> isOpen(v.getModifiers(), path);
              case CompilationUnitTree _ -> true;
              default -> false;
            };
        if (!shown) {
          return false;
        }
      }
      return true;
    }

    /** Public or protected, or a member of an interface, which is public without saying so. */
    private boolean isOpen(ModifiersTree modifiers, TreePath path) {
      Set<Modifier> flags = modifiers.getFlags();
      return flags.contains(Modifier.PUBLIC)
          || flags.contains(Modifier.PROTECTED)
          || (path.getParentPath().getLeaf() instanceof ClassTree outer
              && outer.getKind() == Tree.Kind.INTERFACE
              && !flags.contains(Modifier.PRIVATE));
    }

    private boolean isOverride(ModifiersTree modifiers) {
      return modifiers.getAnnotations().stream()
          .anyMatch(a -> a.getAnnotationType().toString().equals("Override"));
    }

    private boolean isRecordComponent(VariableTree tree) {
      return enclosing() == Tree.Kind.RECORD
          && !tree.getModifiers().getFlags().contains(Modifier.STATIC);
    }

    private Tree.Kind enclosing() {
      return getCurrentPath().getParentPath().getLeaf().getKind();
    }

    private long line(Tree tree) {
      return line(positions.getStartPosition(unit, tree));
    }

    private long line(long position) {
      return unit.getLineMap().getLineNumber(position);
    }
  }

  /** A source in memory. */
  private static final class Text extends SimpleJavaFileObject {
    private final String text;

    Text(String name, String text) {
      super(URI.create("string:///" + name), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
