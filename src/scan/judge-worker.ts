import { parentPort } from 'node:worker_threads'
import { digest } from '../lib/digest.ts'
import type { Question, Read } from '../reads/read.ts'
import { reads } from '../reads/table.ts'
import type { Judged, JudgeJob, JudgeResult } from './judge-protocol.ts'
import { comparisonOf, judgeBody, type Printed, printed, valueIn } from './judgement.ts'

if (parentPort === null) throw new Error('bodies are judged by a worker thread')
const port = parentPort
port.on('message', (job: JudgeJob) => {
  const result = resultOf(job)
  const made = printedIn(result)
  port.postMessage(result, made === undefined ? [] : [made.body.buffer as ArrayBuffer])
})

function resultOf(job: JudgeJob): JudgeResult {
  const question = { read: readOf(job.readId), params: job.params }
  switch (job.job) {
    case 'judge':
      return { job: 'judge', judged: judged(question, Buffer.from(job.bytes.buffer)) }
    case 'compare': {
      const value = valueIn(question, Buffer.from(job.bytes.buffer))
      return { job: 'compare', comparison: comparisonOf(question.read, value) }
    }
    case 'print': {
      const values = job.bodies.map((bytes) => valueIn(question, Buffer.from(bytes.buffer)))
      return { job: 'print', printed: printed(question, values, job.choice) }
    }
  }
}

function printedIn(result: JudgeResult): Printed | undefined {
  if (result.job === 'print') return result.printed
  return result.job === 'judge' && result.judged.kind === 'value' ? result.judged.printed : undefined
}

function judged(question: Question, bytes: Buffer): Judged {
  const judgement = judgeBody(question, bytes)
  if (judgement.kind !== 'value') return judgement
  const { value, ...known } = judgement
  const whole = known.verbatim ? undefined : printed(question, [value], { on: 'whole' })
  return { ...known, digest: digest(bytes), printed: whole }
}

function readOf(id: string): Read {
  const read = reads[id as keyof typeof reads]
  if (read === undefined) throw new Error(`there is no read ${id}`)
  return read
}
