package dev.onceward.testsupport.proxy;

/** Finds a sequence of bytes in a stream that comes in pieces (the algorithm of Knuth, Morris and Pratt). */
final class BytePattern {

    private final byte[] pattern;
    /** At i: how long a beginning of the pattern the first i + 1 bytes of it end with. */
    private final int[] fallback;

    private int matched;

    BytePattern(byte[] pattern) {
        if (pattern.length == 0) {
            throw new IllegalArgumentException("The pattern to look for is empty");
        }
        this.pattern = pattern.clone();
        this.fallback = new int[pattern.length];
        int length = 0;
        for (int i = 1; i < pattern.length; i++) {
            length = extend(pattern[i], length);
            fallback[i] = length;
        }
    }

    /** True if the pattern ends with this byte. */
    boolean next(byte value) {
        matched = extend(value, matched);
        if (matched < pattern.length) {
            return false;
        }
        matched = fallback[matched - 1];
        return true;
    }

    private int extend(byte value, int length) {
        int longest = length;
        while (longest > 0 && pattern[longest] != value) {
            longest = fallback[longest - 1];
        }
        return pattern[longest] == value ? longest + 1 : 0;
    }
}
