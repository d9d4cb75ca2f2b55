package dev.onceward.examples.demo;

import dev.onceward.testsupport.ProcessControl;

/**
 * A worker's process.
 *
 * @param name of the worker, the same for the process that replaces a killed one
 * @param id worker id, its own for each process
 */
record WorkerProcess(String name, String id, ProcessControl process) {}
