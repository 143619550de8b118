import type { Pool } from 'undici'

const headers = ['accept', 'application/json', 'user-agent', 'bare', 'accept-encoding', 'identity']

/** The cheapest way that undici has of asking: `Pool.dispatch` with a handler that collects buffers. */
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
