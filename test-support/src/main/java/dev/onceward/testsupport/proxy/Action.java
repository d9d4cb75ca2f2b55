package dev.onceward.testsupport.proxy;

/**
 * What happens at a chosen moment of a connection. It runs in the thread that forwards the bytes: nothing more flows in
 * that direction of the connection until it returns. If it throws, the connection is cut and the moment's future fails.
 */
@FunctionalInterface
public interface Action {

    /** Called once. */
    void at(ProxiedConnection connection) throws Exception;
}
