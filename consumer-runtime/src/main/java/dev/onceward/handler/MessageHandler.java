package dev.onceward.handler;

/**
 * Handles one message: writes its effect through the transaction it is given.
 *
 * <p>Called by lane threads, for different ordering keys at the same time: must be thread-safe. A message may be
 * handed to it more than once (a rollback, a crash, a retry); what it wrote through {@link Effect} is then rolled back,
 * so that at most one effect ever commits. Anything else it does (calls to other systems) may happen more than once:
 * use {@link Message#idempotencyKey()} there.
 *
 * @param <K> type of the key
 * @param <V> type of the value
 */
@FunctionalInterface
public interface MessageHandler<K, V> {

    /**
     * Writes the effect of one message.
     *
     * @throws PermanentException no retry can help: dead-lettered at once
     * @throws RetryAfterException counted as failed, tried again after the delay it names
     * @throws UnavailableException something this handler depends on is down: consumption stands still, nothing counted
     * @throws Exception anything else is a transient failure: counted and tried again with backoff, up to the policy's
     *     attempts
     */
    void handle(Message<K, V> message, Effect effect) throws Exception;
}
