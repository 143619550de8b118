import { parentPort } from 'node:worker_threads'
import type { SignBatch, SignedBatch } from './sign-receipt.ts'
import { trySignReceipt } from './sign-receipt.ts'

// This module runs in the signing thread.
if (parentPort === null) throw new Error('receipts are made by a worker thread')
const port = parentPort
port.on('message', ({ jobs }: SignBatch) => {
  const signed: SignedBatch = jobs.map(({ job, key }) => trySignReceipt(job, key))
  port.postMessage(signed)
})
