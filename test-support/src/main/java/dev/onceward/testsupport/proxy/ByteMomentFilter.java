package dev.onceward.testsupport.proxy;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Looks for the patterns that wait for their moment in one direction of one connection. */
final class ByteMomentFilter implements StreamFilter {

    private final Direction direction;
    private final List<ByteMoment> waiting;
    private final Connection connection;
    private final Map<ByteMoment, BytePattern> progress = new HashMap<>();

    /**
     * @param waiting the proxy's own list, which others add to and remove from
     */
    ByteMomentFilter(Direction direction, List<ByteMoment> waiting, Connection connection) {
        this.direction = direction;
        this.waiting = waiting;
        this.connection = connection;
    }

    @Override
    public void accept(byte[] bytes, int from, int length, Output output) throws IOException, InterruptedException {
        int forwarded = from;
        int end = from + length;
        if (!waiting.isEmpty()) {
            for (int i = from; i < end; i++) {
                for (ByteMoment candidate : waiting) {
                    if (isAt(candidate, bytes[i]) && candidate.moment().take()) {
                        int until = candidate.isBefore() ? i : i + 1;
                        output.forward(bytes, forwarded, until - forwarded);
                        forwarded = until;
                        output.flush();
                        strike(candidate);
                    }
                }
            }
        }
        output.forward(bytes, forwarded, end - forwarded);
    }

    private void strike(ByteMoment moment) throws IOException {
        waiting.remove(moment);
        moment.moment().strike(connection, connection);
    }

    private boolean isAt(ByteMoment candidate, byte value) {
        return candidate.direction() == direction
                && progress.computeIfAbsent(candidate, ByteMoment::search).next(value);
    }
}
