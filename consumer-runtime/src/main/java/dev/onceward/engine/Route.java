package dev.onceward.engine;

import dev.onceward.effect.Handling;
import dev.onceward.message.RecordDecoder;

/** Where the messages of a topic go. */
public record Route(String topic, RecordDecoder decoder, Handling handling) {}
