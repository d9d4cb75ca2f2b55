package dev.onceward.dlq.transfer;

import dev.onceward.dlq.index.Letter;

/** A letter of a file and the number of its line. */
record FileLetter(long line, ExportLine.Entry entry) {
    Letter letter() {
        return entry.letter();
    }
}
