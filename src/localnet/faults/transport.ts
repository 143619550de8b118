import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { bytes } from '../../base/lib/bytes.ts'
import { type Random, seededRandom } from '../../base/lib/random.ts'
import { type Reply, replyOf } from '../reply.ts'
import { firstHalf, reset, sendHead, sendWhole, stream } from '../wire.ts'
import { type Ask, defineFault, duration, size } from './fault.ts'

function pause({ clock }: Ask['context'], ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  clock.after(ms, resolve)
  return promise
}

function after(what: string) {
  return z.enum(['request', 'half']).default('request').describe(what)
}

function framing(what: string) {
  return z.enum(['length', 'chunked']).default('length').describe(what)
}

const hang = defineFault({
  kind: 'hang',
  sentence: 'accepts every connection and never finishes an answer',
  options: { after: after('silent from the request on, or once half the body is sent') },
  effects: ({ after }) => ({
    send(reply, { response }) {
      if (after === 'request') return
      sendHead(response, reply, reply.body.length + 1)
      response.write(firstHalf(reply))
    },
  }),
})

const refuse = defineFault({
  kind: 'refuse',
  sentence: 'has closed its port: connections are refused, and open ones end',
  options: { only: z.undefined('a closed port concerns every read').optional() },
  effects: () => ({ refuses: true }),
})

const resets = defineFault({
  kind: 'reset',
  sentence: 'resets the connection instead of answering',
  options: { after: after('at once, or when half the body is on its way') },
  effects: ({ after }) => ({
    send(reply, { response }) {
      if (after === 'request') return reset(response)
      sendHead(response, reply, reply.body.length + 1)
      response.write(firstHalf(reply), () => reset(response))
    },
  }),
})

const delay = defineFault({
  kind: 'delay',
  sentence: 'answers honestly, and late',
  options: {
    ms: duration('how late').default(1000),
    jitter: z
      .number()
      .min(0)
      .max(10)
      .default(0)
      .describe('mean of the share of ms that is added to it, drawn from an exponential for each answer'),
    stalls: z.number().min(0).max(1).default(0).describe('share of the answers that take stallMs longer'),
    stallMs: duration('how much longer').default(1000),
  },
  effects({ ms, jitter, stalls, stallMs }) {
    let random: Random | undefined
    return {
      wait({ context }) {
        random ??= seededRandom(context.index + 1)
        const jittered = ms * (1 - jitter * Math.log(1 - random()))
        return pause(context, jittered + (random() < stalls ? stallMs : 0))
      },
    }
  },
})

const truncate = defineFault({
  kind: 'truncate',
  sentence: 'ends the connection in the middle of the body',
  options: { framing: framing('whether the body had a content-length or came in chunks') },
  effects: ({ framing }) => ({
    send(reply, { response }) {
      sendHead(response, reply, framing === 'length' ? reply.body.length + 1 : 'chunked')
      response.write(firstHalf(reply), () => response.destroy())
    },
  }),
})

const blankOf64KiB = Buffer.alloc(bytes('64KiB'), ' ')

function* padded({ body }: Reply, length: number): Iterable<Buffer> {
  yield body.subarray(0, length)
  for (let left = length - body.length; left > 0; left -= blankOf64KiB.length) {
    yield left < blankOf64KiB.length ? blankOf64KiB.subarray(0, left) : blankOf64KiB
  }
}

const huge = defineFault({
  kind: 'huge',
  sentence: 'pads its honest answer with white space to a size that no answer has',
  options: {
    bytes: size('length of the body').default(bytes('32MiB')),
    framing: framing('whether the length is announced'),
  },
  effects: (options) => ({
    send(reply, { response }) {
      sendHead(response, reply, options.framing === 'length' ? options.bytes : 'chunked')
      return stream(response, padded(reply, options.bytes))
    },
  }),
})

const gzipAside = promisify(gzip)
const bombPart = bytes('8MiB')
let blankPart: Buffer | undefined

const gzipBomb = defineFault({
  kind: 'gzip-bomb',
  sentence:
    'sends some hundred kilobytes of gzip that expand to its honest answer and an ocean of white space',
  options: { bytes: size('length once expanded').default(bytes('512MiB')) },
  effects: (options) => ({
    async send(reply, { response }) {
      const blanks = Buffer.alloc(Math.min(bombPart, Math.max(0, options.bytes - reply.body.length)), ' ')
      const first = await gzipAside(Buffer.concat([reply.body, blanks]))
      // A gzip body may have many compressed parts (RFC 1952, 2.2), so one repeated part gives a
      // body of any length.
      const rest = Math.max(0, Math.ceil((options.bytes - reply.body.length - blanks.length) / bombPart))
      blankPart ??= gzipSync(Buffer.alloc(bombPart, ' '))
      const bomb = Buffer.concat([first, ...Array<Buffer>(rest).fill(blankPart)])
      const headers = ['content-type', 'application/json', 'content-encoding', 'gzip']
      sendWhole(response, replyOf(reply.status, headers, bomb))
    },
  }),
})

export const transportFaults = [hang, refuse, resets, delay, truncate, huge, gzipBomb] as const
