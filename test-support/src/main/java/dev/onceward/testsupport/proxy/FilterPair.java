package dev.onceward.testsupport.proxy;

/** The filters of one connection, which belong to its threads. */
record FilterPair(StreamFilter toServer, StreamFilter toClient) {

    static final FilterPair NONE = new FilterPair(StreamFilter.NONE, StreamFilter.NONE);

    /** What these hand on goes through the others. */
    FilterPair then(FilterPair next) {
        return new FilterPair(toServer.then(next.toServer), toClient.then(next.toClient));
    }
}
