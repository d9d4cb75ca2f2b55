package dev.onceward.handler;

import java.util.List;

/**
 * Handles a group of messages of one topic in one transaction. See {@link MessageHandler} for threads and redelivery.
 *
 * @param <K> type of the key
 * @param <V> type of the value
 */
@FunctionalInterface
public interface BatchHandler<K, V> {

    /**
     * Writes the effects of all messages. If it throws, nothing of the group commits and the group is split until the
     * culprit is found; a handler that knows it says so with {@link MessageFailedException}.
     *
     * @param messages not empty, in offset order within each partition, each id once
     * @throws MessageFailedException names the message that failed
     * @throws Exception as for {@link MessageHandler#handle}
     */
    void handle(List<Message<K, V>> messages, Effect effect) throws Exception;
}
