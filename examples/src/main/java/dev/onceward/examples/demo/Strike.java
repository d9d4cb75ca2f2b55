package dev.onceward.examples.demo;

/**
 * A fault that has struck.
 *
 * @param what for the reader: who it befell
 * @param load found around it
 */
record Strike(PlannedFault.Kind kind, String what, Load.Measure load) {

    boolean underLoad() {
        return load.enough();
    }
}
