/**
 * `connection: close` ends the connection together with the stream. A connection that stayed open
 * would delay the stop of the daemon.
 */
export function streamHeaders(type: string): Record<string, string> {
  return {
    'cache-control': 'no-store',
    connection: 'close',
    'content-type': type,
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  }
}
