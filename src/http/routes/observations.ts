import { SpliceError } from '../../errors/splice.ts'
import type { PlainRoute } from './route.ts'

export type ObservationsPublished = (epoch: number) => string | undefined

const epochPattern = /^(?:0|[1-9]\d{0,9})$/

/**
 * A cache may keep the document for only a minute, because signatures of other daemons are added to
 * it after its publication.
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
