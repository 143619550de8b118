import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import type { Served } from '../../src/core/cache/answers.ts'
import type { Reader } from '../../src/core/scan/reader.ts'
import { HttpServer } from '../../src/server/http/server.ts'
import { ask } from '../localnet/ask.ts'
import { publicApi } from './public-api.ts'

const unwritable = {
  answer: {
    kind: 'value',
    status: 99,
    body: Buffer.from('{}'),
    digest: 'x',
    agreement: { agreed: ['sv-1'], threshold: 1, asked: 1, voters: 1, complete: true, protected: true },
  },
  agreedAt: { now: 0, wall: 0 },
  how: 'hit',
  stored: true,
  lifetime: { freshMs: 1_000, staleMs: 1_000 },
} as const satisfies Served

const answers: Record<string, Reader['answer']> = {
  kept: () => unwritable,
  loaded: () => Promise.resolve(unwritable),
}

test.each(Object.entries(answers))(
  'an answer that cannot be written is 500, and the next request is answered: %s',
  async (_how, answer) => {
    const api = publicApi({ reader: { answer, quorumOfNobody: () => undefined } }, { network: 'remote' })
    const server = await HttpServer.listen({ host: '127.0.0.1', port: 0 }, api, systemClock)
    try {
      for (let count = 0; count < 2; count++) {
        const heard = await ask(server.url, '/v0/ans-entries/by-name/dso.cns')
        expect(heard).toMatchObject({ status: 500, text: '{"error":"An unexpected error occurred."}' })
        expect(heard.headers).toMatchObject({
          'x-bft-error': 'unexpected',
          'x-bft-quorum': 'agreed=0, asked=0, voters=0',
        })
      }
    } finally {
      await server.close(0)
    }
  },
)
