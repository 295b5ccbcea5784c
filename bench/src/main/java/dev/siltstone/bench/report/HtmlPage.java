package dev.siltstone.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * An HTML page in one file: style, scripts and plots are inside, and it fetches nothing. Parts
 * appear in the order in which they are added. All text is escaped.
 */
public final class HtmlPage {
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/";
  private static final String GOOD = "yes";
  private static final String BAD = "NO";

  private final String title;
  private final StringBuilder body = new StringBuilder();
  private final List<Chart> charts = new ArrayList<>();

  /** A page with nothing but its title and a sentence below it. */
  public HtmlPage(String title, String lead) {
    this.title = title;
    element("h1", title);
    body.append("<p class=\"lead\">").append(escape(lead)).append("</p>\n");
  }

  /** Begins a section. */
  public HtmlPage section(String heading) {
    element("h2", heading);
    return this;
  }

  /** Adds a paragraph. */
  public HtmlPage paragraph(String text) {
    element("p", text);
    return this;
  }

  /** Adds commands or other text set as it is. */
  public HtmlPage verbatim(String text) {
    element("pre", text);
    return this;
  }

  /**
   * Adds a row of figures that stand out.
   *
   * @param figures what each is, to its value with its unit
   */
  public HtmlPage tiles(Map<String, String> figures) {
    body.append("<div class=\"tiles\">\n");
    figures.forEach(
        (what, figure) ->
            body.append("<div class=\"tile\"><b>")
                .append(escape(figure))
                .append("</b><span>")
                .append(escape(what))
                .append("</span></div>\n"));
    body.append("</div>\n");
    return this;
  }

  /** Adds a table; a cell that says "yes" or "NO" is coloured. */
  public HtmlPage table(Table table) {
    body.append("<div class=\"scroll\"><table>\n<thead><tr>");
    cells("th", table, table.head());
    body.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : table.rows()) {
      body.append("<tr>");
      cells("td", table, row);
      body.append("</tr>\n");
    }
    body.append("</tbody></table></div>\n");
    return this;
  }

  private void cells(String name, Table table, List<String> cells) {
    for (int i = 0; i < cells.size(); i++) {
      String cell = cells.get(i);
      String look =
          table.isFigures(i) ? "figure" : cell.equals(GOOD) ? GOOD : cell.equals(BAD) ? "no" : "";
      body.append('<').append(name).append(look.isEmpty() ? ">" : " class=\"" + look + "\">");
      body.append(escape(cell)).append("</").append(name).append('>');
    }
  }

  /** Adds names and what they are. */
  public HtmlPage facts(Map<String, String> facts) {
    body.append("<table class=\"facts\"><tbody>\n");
    facts.forEach(
        (name, fact) ->
            body.append("<tr><td>")
                .append(escape(name))
                .append("</td><td>")
                .append(escape(fact))
                .append("</td></tr>\n"));
    body.append("</tbody></table>\n");
    return this;
  }

  /** Adds a plot. */
  public HtmlPage chart(Chart chart) {
    body.append("<div class=\"chart\">");
    element("h3", chart.title());
    body.append("<div id=\"chart-").append(charts.size()).append("\"></div></div>\n");
    charts.add(chart);
    return this;
  }

  /** The page. */
  public String render() throws IOException {
    JsonWriter json = new JsonWriter().array();
    charts.forEach(chart -> chart.write(json));
    String data = json.end().text();
    return """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s</title>
    <link rel="icon" href="data:,">
    <style>
    %s%s</style>
    </head>
    <body>
    <main>
    %s<footer><details>
        <summary>Plots by uPlot 1.6.30, MIT licence</summary>
        <p>%s</p>
        </details></footer>
    </main>
    <script type="application/json" id="charts">
    %s</script>
    <script>
    %s
    </script>
    <script>
    %s</script>
    </body>
    </html>
    """
        .formatted(
            escape(title),
            resource(UPLOT + "dist/uPlot.min.css"),
            resource("/report/report.css"),
            body,
            escape(resource(UPLOT + "LICENSE")).replace("\n\n", "<br>"),
            data,
            withoutBanner(resource(UPLOT + "dist/uPlot.iife.min.js")),
            resource("/report/report.js"));
  }

  /** Takes the comment at the start away: it names an address, and the page shall have none. */
  private static String withoutBanner(String script) {
    int end = script.startsWith("/*") ? script.indexOf("*/") + 2 : 0;
    return script.substring(end).strip();
  }

  private void element(String name, String text) {
    body.append('<').append(name).append('>').append(escape(text));
    body.append("</").append(name).append(">\n");
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static String resource(String path) throws IOException {
    try (InputStream in = HtmlPage.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IOException("the program lacks its file " + path);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
