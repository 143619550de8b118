import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Submission } from '../../src/ledger/command.ts'
import { AnsEntry } from '../../src/ledger/daml/splice/ans.ts'
import { timeOf } from '../../src/ledger/daml/time.ts'
import type { Party } from '../../src/ledger/value.ts'
import { serveParent } from '../child.ts'
import { type LedgerApi, openLedgerApi } from '../ledger-api.ts'

const expiresAt = timeOf(Date.UTC(2040, 0, 1) * 1000)

let api: LedgerApi
let bare: WebSocketServer
let parties: { readonly dso: Party; readonly user: Party }
let commits = 0
let startedUs = 0

serveParent({
  async start() {
    api = await openLedgerApi(undefined, begin)
    const { ledger } = api
    parties = { dso: await ledger.partyOf('dso', 'DSO'), user: await ledger.partyOf('alice', 'alice') }
    bare = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
    await once(bare, 'listening')
  },
  urls: () => ({
    feed: api.url.replace('http', 'ws'),
    bare: `ws://127.0.0.1:${(bare.address() as AddressInfo).port}`,
  }),
  /**
   * Commits a transaction. Returns the time at which this thread learned of the commit, in microseconds on the
   * machine's monotonic clock.
   */
  async commit() {
    const { kind } = await api.ledger.submit(submission())
    if (kind !== 'committed') throw new Error(kind)
    return startedUs
  },
  /**
   * Sends a frame to every reader of the bare server. Returns the time just before the first send, in microseconds on
   * the machine's monotonic clock.
   */
  send({ frame }: { frame: string }) {
    begin()
    const bytes = Buffer.from(frame)
    for (const ws of bare.clients) ws.send(bytes, { binary: false })
    return startedUs
  },
})

function begin(): void {
  startedUs = Number(process.hrtime.bigint()) / 1000
}

function submission(): Submission {
  const { dso, user } = parties
  const name = `name-${++commits}.unverified.cns`
  const argument = { user, dso, name, url: 'https://name.example', description: '', expiresAt }
  return {
    commandId: `entry-${commits}`,
    userId: 'bench',
    actAs: [dso, user],
    readAs: [],
    workflowId: '',
    commands: [{ kind: 'create', template: AnsEntry.name, argument }],
    disclosed: [],
  }
}
