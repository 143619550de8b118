import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepLong, lookupPath, startDaemonChild } from '../daemon.ts'
import { Caller, getRequest } from '../load.ts'
import { Nodes, namesOf } from '../localnet.ts'
import type { Bench, Outcome } from '../row.ts'
import { compare } from './hit.ts'

const nodes = 13
const asking = 'accept-signature: receipt=();tag="bft-scan-receipt"\r\n'

/** Compares cached lookups that ask for a receipt with cached lookups that do not. */
export async function signedHitAgainstUnsigned(bench: Bench): Promise<Outcome> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'bench-receipts-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const localnet = stack.use(await Nodes.start(nodes, bench.cores?.rest))
  const [name = ''] = await namesOf(localnet)
  const receipts = { keyFile: join(folder, 'receipts.pem') }
  const child = stack.use(await startDaemonChild(bench, localnet.urls, keepLong, { receipts }))
  const daemon = { url: await child.call<string>('url'), cpuUs: () => child.cpuUs() }
  const plain = getRequest(lookupPath(name))
  const request = getRequest(lookupPath(name), asking)
  using caller = await Caller.connect(daemon.url)
  await caller.ask(request)
  const { head } = await caller.ask(request)
  if (!/\r\nsignature: receipt=:/i.test(head)) throw new Error(`no receipt: ${head}`)
  return await compare(bench, plain, daemon, { ...daemon, request }, 'signed')
}
