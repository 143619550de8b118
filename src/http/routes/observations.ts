import { SpliceError } from '../../errors/splice.ts'
import type { PlainRoute } from './route.ts'

/**
 * Returns the observations that this daemon published for an epoch, as JSON. Undefined if it published none.
 */
export type ObservationsPublished = (epoch: number) => string | undefined

const epochPattern = /^(?:0|[1-9]\d{0,9})$/

/**
 * Caches may keep the observations of an epoch for only a minute, because the document still changes: for
 * some time after its publication, peers sign it, and the daemon adds their signatures.
 */
const documentAge = 'public, max-age=60'

export function observationsRoute(published: ObservationsPublished): PlainRoute {
  return {
    method: 'GET',
    path: '/observations/{epoch}',
    id: 'observations',
    handler: (c) => {
      const epoch = c.req.param('epoch') ?? ''
      const text = epochPattern.test(epoch) ? published(Number(epoch)) : undefined
      if (text === undefined) throw new SpliceError('unknownObservations', { epoch })
      return new Response(text, {
        headers: { 'content-type': 'application/json', 'cache-control': documentAge },
      })
    },
  }
}
