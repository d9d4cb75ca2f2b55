package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import java.util.UUID;

/**
 * A letter that was sent and is followed. All of a run are kept until they are asked after, so this is some fifty bytes
 * of its own: a million take 50 MB.
 *
 * @param place partitions that it shares with many others, as one object
 * @param recordOffset of the letter's record
 * @param originOffset of the record that first failed
 * @param hasId whether a claim will tell that it took effect
 * @param partition of the replay topic
 * @param offset in that partition
 */
record Sent(Place place, long recordOffset, long originOffset, boolean hasId, int partition, long offset) {
    String name() {
        return place.originTopic() + "/" + place.originPartition() + "/" + originOffset;
    }

    /**
     * Where the letter's record stands, and the one that first failed.
     *
     * @param topic of the record: with partition, offset and topic id the key of the letter's row
     * @param partition see there
     * @param topicId see there
     * @param originTopic of the record that first failed
     * @param originPartition see there
     */
    record Place(String topic, int partition, UUID topicId, String originTopic, int originPartition) {
        static Place of(Letter letter) {
            return new Place(
                    letter.record().coordinates().topic(),
                    letter.record().coordinates().partition(),
                    letter.record().topicId(),
                    letter.origin().coordinates().topic(),
                    letter.origin().coordinates().partition());
        }
    }
}
