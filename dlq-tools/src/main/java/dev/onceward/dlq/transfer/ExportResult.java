package dev.onceward.dlq.transfer;

/**
 * What an export did.
 *
 * @param written letters written by this run
 * @param before letters that were in the file already
 * @param lost how many of those in the file have no payload any more, and still wait for somebody
 * @param complete whether the file is complete; if not, it was stopped
 */
public record ExportResult(long written, long before, long lost, boolean complete) {}
