import { parentPort } from 'node:worker_threads'
import { reads } from '../reads/table.ts'
import { valueIn } from '../scan/judgement.ts'
import { statedIn } from './observed-contracts.ts'
import type { StatedBody, StatementsJob } from './statements-protocol.ts'

if (parentPort === null) throw new Error('long bodies are observed by a worker thread')
const port = parentPort
port.on('message', ({ readId, params, scope, bytes }: StatementsJob) => {
  const read = reads[readId as keyof typeof reads]
  const stated: StatedBody = statedIn(valueIn({ read, params }, Buffer.from(bytes.buffer)), scope)
  port.postMessage(stated)
})
