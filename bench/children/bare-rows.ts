import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { serveParent } from '../child.ts'

type LogRow = readonly [
  offset: number,
  kind: string,
  updateId: string,
  recordTime: number,
  firstNode: number,
  nodeCount: number,
  head: string,
]

const rowsAtOnce = 100
let url = ''

serveParent({
  /**
   * Starts an HTTP server. It answers `/<after>/<upTo>` with a JSON list of the rows of the updates with offsets above
   * `after` and up to `upTo`. The JSON texts in the rows are written as they are stored.
   */
  async start({ file }: { file: string }) {
    // The measured ledger holds an exclusive lock on the same file. `immutable` makes SQLite ignore the lock. That is
    // safe, because the ledger writes nothing meanwhile.
    const db = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true })
    db.exec('PRAGMA cache_size = -16384')
    const log = db.prepare(
      `SELECT offset, kind, update_id, record_time, first_node, node_count, head FROM log
       WHERE offset > ? AND offset <= ? ORDER BY offset LIMIT ?`,
    )
    const bodies = db.prepare('SELECT body FROM nodes WHERE node >= ? AND node < ? ORDER BY node')
    log.setReturnArrays(true)
    bodies.setReturnArrays(true)

    const textsOf = (rows: readonly LogRow[]): string => {
      const [first, last] = [rows[0] as LogRow, rows.at(-1) as LogRow]
      const nodes = bodies.all(first[4], last[4] + last[5]) as unknown as readonly (readonly [string])[]
      const text = ([offset, kind, updateId, recordTime, firstNode, nodeCount, head]: LogRow) => {
        const start = firstNode - first[4]
        const own = nodes.slice(start, start + nodeCount).map(([body]) => body)
        return `[${offset},"${kind}","${updateId}",${recordTime},${head},[${own.join(',')}]]`
      }
      return rows.map(text).join(',')
    }
    const server = createServer(async (request, response) => {
      const [, from, upTo] = (request.url ?? '').split('/').map(Number) as [number, number, number]
      response.writeHead(200, { 'content-type': 'application/json' })
      let before = '['
      for (let after = from; after < upTo; ) {
        const rows = log.all(after, upTo, rowsAtOnce) as unknown as readonly LogRow[]
        if (rows.length === 0) break
        if (!response.write(before + textsOf(rows))) await once(response, 'drain')
        before = ','
        after = (rows.at(-1) as LogRow)[0]
      }
      response.end(before === '[' ? '[]' : ']')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  url: () => url,
})
