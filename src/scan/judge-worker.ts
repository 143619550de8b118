import { parentPort } from 'node:worker_threads'
import { resultOf, transfersIn } from './judge-job.ts'
import type { JudgeJob } from './judge-protocol.ts'

if (parentPort === null) throw new Error('bodies are judged by a worker thread')
const port = parentPort
port.on('message', (job: JudgeJob) => {
  const result = resultOf(job)
  port.postMessage(result, transfersIn(result))
})
