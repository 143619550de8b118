import { once } from 'node:events'
import { WebSocket } from 'ws'
import { serveParent } from '../child.ts'
import { anyToken } from '../load.ts'

let waiting = 0
let all = Promise.withResolvers<{ readonly us: number; readonly frame: string }>()

serveParent({
  start() {},
  /** Opens this many more WebSockets, and sends `first` over each of them. It does not wait for an answer. */
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
  /** Begins to count the transactions that arrive. `last` resolves when this many have arrived. */
  expect({ readers }: { readers: number }) {
    waiting = readers
    all = Promise.withResolvers()
  },
  /**
   * Resolves when the last of the expected transactions has arrived. Returns its frame, and the time in microseconds on
   * the machine's monotonic clock.
   */
  last: () => all.promise,
})

const transaction = Buffer.from('{"update":{"Transaction"')

/** Counts a frame if it is a transaction. Checkpoints, which arrive between transactions, are not counted. */
function hear(data: Buffer): void {
  if (data.compare(transaction, 0, transaction.length, 0, transaction.length) !== 0) return
  if (--waiting > 0) return
  all.resolve({ us: Number(process.hrtime.bigint()) / 1000, frame: String(data) })
}
