package dev.onceward.testsupport.proxy;

/** One connection through a proxy, as an {@link Action} sees it. Thread-safe. */
public interface ProxiedConnection {

    /** Ends it on both sides with RST, as when a router forgets it. Bytes on the way are lost. */
    void cut();

    /** From now on swallows what is sent that way, silently: the connection stays open, half of it dead. */
    void drop(Direction direction);

    /** From now on holds back what is sent that way, until {@link #resume}. */
    void stall(Direction direction);

    /**
     * Lets through what is sent that way, what was held back first. If something was dropped, the connection is cut instead:
     * no network loses the middle of a stream.
     */
    void resume(Direction direction);
}
