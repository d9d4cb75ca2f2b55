package dev.onceward.testsupport.proxy;

import java.io.IOException;

/** Where a filter hands on the bytes of its direction. */
interface Output {

    /** Hands on; they leave at the next {@link #flush} at the latest. */
    void forward(byte[] bytes, int from, int length) throws IOException, InterruptedException;

    /** Returns when all that was handed on has left. */
    void flush() throws IOException, InterruptedException;
}
