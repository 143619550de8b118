import { parentPort } from 'node:worker_threads'
import { type KeyedJob, trySignReceipt } from './sign-receipt.ts'

// This module runs in the signing thread.
if (parentPort === null) throw new Error('receipts are made by a worker thread')
const port = parentPort
port.on('message', ({ job, key }: KeyedJob) => port.postMessage(trySignReceipt(job, key)))
