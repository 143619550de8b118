import type { Pool } from 'undici'

const headers = ['accept', 'application/json', 'user-agent', 'bare', 'accept-encoding', 'identity']

/**
 * Sends a GET with as little CPU time as undici allows: by `Pool.dispatch`, with a handler that collects buffers.
 * Resolves with the body.
 */
export function askBare(pool: Pool, path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    pool.dispatch(
      { method: 'GET', path, headers },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_controller, chunk) => chunks.push(chunk),
        onResponseEnd: () => resolve(Buffer.concat(chunks)),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}
