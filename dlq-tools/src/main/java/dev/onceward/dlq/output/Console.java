package dev.onceward.dlq.output;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.util.Map;

/**
 * The world around a command: its streams, its environment, its terminal. Tests put their own here.
 *
 * @param in standard input
 * @param out standard output, in UTF-8: what was asked for and nothing else
 * @param err standard error, in UTF-8: messages, questions, progress
 * @param environment the variables of the process
 * @param terminal what the streams are
 * @param secrets what must not be written to any of them
 */
public record Console(
        BufferedReader in,
        PrintStream out,
        PrintStream err,
        Map<String, String> environment,
        Terminal terminal,
        Secrets secrets) {

    /** The process's own. */
    public static Console ofProcess() {
        Map<String, String> environment = System.getenv();
        return new Console(
                new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())),
                ProcessStream.of(FileDescriptor.out),
                ProcessStream.of(FileDescriptor.err),
                environment,
                Terminal.detect(environment),
                new Secrets());
    }

    /**
     * Whether everything reached standard output; if not, says why, unless the reader simply had enough, as {@code head}.
     */
    public boolean wroteEverything() {
        if (!out.checkError()) {
            return true;
        }
        IOException why = out instanceof ProcessStream stream ? stream.failure() : null;
        if (why == null || !String.valueOf(why.getMessage()).contains("Broken pipe")) {
            say("dlq: standard output takes no more, what it got is not all: " + (why == null ? "" : why.getMessage()));
        }
        return false;
    }

    /** Tells the user something that is not the output; without secrets, and on lines that a terminal does not obey. */
    public void say(String message) {
        err.println(Printable.lines(secrets.hide(message)));
    }

    /**
     * Asks a question that takes a yes; everything else is a no.
     *
     * @throws IllegalStateException there is nobody to ask: see {@link Terminal#input}
     */
    public boolean confirms(String question) {
        if (!terminal.input()) {
            throw new IllegalStateException("standard input is no terminal");
        }
        err.print(question + " [y/N] ");
        err.flush();
        try {
            String answer = in.readLine();
            return answer != null
                    && (answer.strip().equalsIgnoreCase("y") || answer.strip().equalsIgnoreCase("yes"));
        } catch (IOException e) {
            return false;
        }
    }
}
