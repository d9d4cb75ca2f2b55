package dev.onceward.testsupport.proxy;

/** Which way bytes flow through a proxy. */
public enum Direction {
    /** What the client sends. */
    TO_SERVER,
    /** What the server answers. */
    TO_CLIENT
}
