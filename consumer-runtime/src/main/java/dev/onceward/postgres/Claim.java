package dev.onceward.postgres;

/**
 * One row to insert into {@code processed_messages}.
 *
 * @param messageId the message's id
 * @param payloadHash hash of the value's bytes
 * @param fence of the partition the record stands in
 * @param sourceOffset the record's own offset
 */
public record Claim(String messageId, long payloadHash, Fence fence, long sourceOffset) {}
