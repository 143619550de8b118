import { once } from 'node:events'
import { WebSocket } from 'ws'
import { serveParent } from '../child.ts'
import { anyToken } from '../load.ts'

let waiting = 0
let all = Promise.withResolvers<{ readonly us: number; readonly frame: string }>()

serveParent({
  start() {},
  /** So many readers more; each sends `first`, and waits for nothing. */
  async open({ url, readers, first }: { url: string; readers: number; first: string }) {
    for (let count = 0; count < readers; count++) {
      const ws = new WebSocket(url, {
        headers: { authorization: `Bearer ${anyToken}` },
        perMessageDeflate: false,
        skipUTF8Validation: true,
      })
      await once(ws, 'open')
      ws.send(first)
      ws.on('message', (data: Buffer) => hear(data))
    }
  },
  /** From now on, transactions are counted. */
  expect({ readers }: { readers: number }) {
    waiting = readers
    all = Promise.withResolvers()
  },
  /** When the last of them came, on the clock of all processes, and what it was. */
  last: () => all.promise,
})

const transaction = Buffer.from('{"update":{"Transaction"')

/** Checkpoints come between. */
function hear(data: Buffer): void {
  if (data.compare(transaction, 0, transaction.length, 0, transaction.length) !== 0) return
  if (--waiting > 0) return
  all.resolve({ us: Number(process.hrtime.bigint()) / 1000, frame: String(data) })
}
