package dev.onceward.effect;

import dev.onceward.handler.Message;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Fence;

/**
 * One message of a group.
 *
 * @param record the record it came in
 * @param message the decoded message
 * @param handling what handles it
 * @param fence the worker's proof of owning the record's partition
 * @param failedBefore whether rows of failed attempts are stored for it
 */
public record Member(
        RecordIdentity record, Message<?, ?> message, Handling handling, Fence fence, boolean failedBefore) {

    Claim claim() {
        return new Claim(
                message.id(), record.payloadHash(), fence, record.coordinates().offset());
    }
}
