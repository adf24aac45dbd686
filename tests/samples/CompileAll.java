import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles each folder's sources on their own, in one JVM, and prints the folders that fail. The first argument is the output. */
public class CompileAll {
    public static void main(String[] args) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        for (int i = 1; i < args.length; i++) {
            Path out = Files.createDirectories(Path.of(args[0], String.valueOf(i)));
            List<Path> sources;
            try (var files = Files.walk(Path.of(args[i]))) {
                sources = files.filter(file -> file.toString().endsWith(".java")).toList();
            }
            var manager = compiler.getStandardFileManager(null, null, null);
            var options = List.of("-proc:none", "-encoding", "UTF-8", "-d", out.toString());
            var units = manager.getJavaFileObjects(sources.toArray(new Path[0]));
            if (!compiler.getTask(new StringWriter(), manager, null, options, null, units).call()) {
                System.out.println(args[i]);
            }
        }
    }
}
