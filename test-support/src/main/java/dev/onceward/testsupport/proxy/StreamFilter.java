package dev.onceward.testsupport.proxy;

import java.io.IOException;

/** Sees the bytes of one direction of one connection, in order and in one thread, on their way out. */
@FunctionalInterface
interface StreamFilter {

    /** Lets everything through. */
    StreamFilter NONE = (bytes, from, length, output) -> output.forward(bytes, from, length);

    /**
     * Hands on what is to be forwarded, in one go or piecewise. Need not flush, but before an action.
     *
     * @throws IOException if the connection is to be cut
     */
    void accept(byte[] bytes, int from, int length, Output output) throws IOException, InterruptedException;

    /** What this one hands on goes through the other one. */
    default StreamFilter then(StreamFilter next) {
        return (bytes, from, length, output) -> accept(bytes, from, length, new Output() {
            @Override
            public void forward(byte[] passed, int start, int count) throws IOException, InterruptedException {
                next.accept(passed, start, count, output);
            }

            @Override
            public void flush() throws IOException, InterruptedException {
                output.flush();
            }
        });
    }
}
