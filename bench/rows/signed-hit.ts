import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepLong, lookupPath, startDaemonChild } from '../daemon.ts'
import { getRequest } from '../load.ts'
import { Nodes, namesOf } from '../localnet.ts'
import type { Bench, Measured, Outcome } from '../row.ts'
import { compare, contenderOf, hitOf, startBare } from './hit.ts'

const nodes = 13
const asking = 'accept-signature: receipt=();tag="bft-scan-receipt"\r\n'

/**
 * Divides two ratios. The first is the CPU time of a cached lookup with a receipt, against one without. The second is
 * the same of a `node:http` server that only writes the bytes of both.
 */
export async function signedHitAgainstItsBytes(bench: Bench): Promise<Outcome> {
  const kept = await compareDaemon(bench)
  const bytes = await compareBare(bench)
  return {
    kind: 'measured',
    figure: kept.figure / bytes.figure,
    detail: {
      againstUnsigned: kept.figure,
      bytesAgainstUnsigned: bytes.figure,
      unsignedCpuUs: kept.detail['unsignedCpuUs'] ?? Number.NaN,
      signedCpuUs: kept.detail['signedCpuUs'] ?? Number.NaN,
    },
  }
}

async function compareDaemon(bench: Bench): Promise<Measured> {
  await using stack = new AsyncDisposableStack()
  const { daemon, request } = await startSigning(bench, stack)
  return await compare(bench, daemon, { ...daemon, name: 'signed', request })
}

async function compareBare(bench: Bench): Promise<Measured> {
  await using stack = new AsyncDisposableStack()
  const { daemon, request } = await startSigning(bench, stack)
  const plain = stack.use(await startBare(bench, await hitOf(daemon.url, daemon.request)))
  const signed = stack.use(await startBare(bench, await hitOf(daemon.url, request)))
  const unsigned = await contenderOf('unsigned', plain, daemon.request)
  return await compare(bench, unsigned, await contenderOf('signed', signed, request))
}

async function startSigning(bench: Bench, stack: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-receipts-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const localnet = stack.use(await Nodes.start(nodes, bench.cores?.rest))
  const [name = ''] = await namesOf(localnet)
  const receipts = { keyFile: join(folder, 'receipts.pem') }
  const child = stack.use(await startDaemonChild(bench, localnet.urls, keepLong, { receipts }))
  const daemon = await contenderOf('unsigned', child, getRequest(lookupPath(name)))
  const request = getRequest(lookupPath(name), asking)
  const { headers } = await hitOf(daemon.url, request)
  if (headers['signature']?.startsWith('receipt=:') !== true) throw new Error('no receipt')
  return { daemon, request }
}
