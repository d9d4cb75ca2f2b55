package dev.onceward.examples.demo;

import java.util.Map;

/**
 * A transaction of a worker that has claimed messages and not ended.
 *
 * @param workerId of the worker that runs it
 * @param backendPid of the server process
 * @param xid full transaction id, of 64 bits
 * @param generations under which it runs, by the fence key of each partition that it holds
 */
record OpenTransaction(String workerId, int backendPid, long xid, Map<Integer, Long> generations) {

    /** As {@code xmin} shows it. */
    long xmin() {
        return xid & 0xFFFF_FFFFL;
    }

    /** The full id of a 32-bit one that is in use, by a full id near to it. */
    static long fullXid(long xid, long near) {
        // PostgreSQL itself compares them so: what is less than 2^31 ahead is later, the rest earlier.
        return near + (int) (xid - near);
    }
}
