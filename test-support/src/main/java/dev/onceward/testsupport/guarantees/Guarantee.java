package dev.onceward.testsupport.guarantees;

import java.util.ArrayList;
import java.util.List;

/**
 * Something that must have held. Checked when the workers stand still: after they were closed, or have nothing left to do.
 *
 * <pre>{@code
 * ObservedConsumer billing = ObservedConsumer.named("billing", dataSource, brokers);
 * SourceRecords source = SourceRecords.withIdHeader(billing, List.of("payments"), "message-id");
 * Guarantee.assertHeld(
 *         EffectOnce.of(billing, "SELECT message_id FROM entries"),
 *         NothingLost.of(billing, source),
 *         KeyOrder.of(billing, source, "SELECT message_id, id FROM entries"));
 * }</pre>
 */
public interface Guarantee {
    /** Looks, and says what it found. May be called again. */
    Finding check();

    /**
     * Checks all of them.
     *
     * @throws AssertionError one or more did not hold, or there was nothing to check; says which and what
     */
    static void assertHeld(Guarantee... guarantees) {
        List<String> broken = new ArrayList<>();
        for (Guarantee guarantee : guarantees) {
            Finding finding = guarantee.check();
            if (!finding.held() || finding.checked() == 0) {
                broken.add(finding.toString());
            }
        }
        if (!broken.isEmpty()) {
            throw new AssertionError(String.join("\n", broken));
        }
    }
}
