/**
 * A network between a client and its server that misbehaves on order: {@link dev.onceward.testsupport.proxy.TcpProxy} for any
 * protocol, {@link dev.onceward.testsupport.proxy.PostgresProxy} for the moment of a COMMIT.
 */
@NullMarked
package dev.onceward.testsupport.proxy;

import org.jspecify.annotations.NullMarked;
