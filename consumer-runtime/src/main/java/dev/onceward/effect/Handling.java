package dev.onceward.effect;

import dev.onceward.handler.BatchHandler;
import dev.onceward.handler.Effect;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageHandler;
import java.util.List;

/** How the messages of a topic are handled: one by one, or those of a group together. */
public sealed interface Handling {

    /** Calls the team's handler. A single handler is called with one message at a time. */
    void call(List<Message<?, ?>> messages, Effect effect) throws Exception;

    /** One call for each message. */
    record Single(MessageHandler<Object, Object> handler) implements Handling {
        @Override
        @SuppressWarnings("unchecked") // the builder ties handler and deserialisers of a topic together
        public void call(List<Message<?, ?>> messages, Effect effect) throws Exception {
            handler.handle((Message<Object, Object>) messages.get(0), effect);
        }
    }

    /** One call for all messages of the topic in the group. */
    record Batch(BatchHandler<Object, Object> handler) implements Handling {
        @Override
        @SuppressWarnings("unchecked") // as above
        public void call(List<Message<?, ?>> messages, Effect effect) throws Exception {
            handler.handle((List<Message<Object, Object>>) (List<?>) messages, effect);
        }
    }
}
