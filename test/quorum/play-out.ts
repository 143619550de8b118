import { seededRandom } from '../../src/base/lib/random.ts'
import type { Action, Plan } from '../../src/core/quorum/plan.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import type { Verdict } from '../../src/core/quorum/verdict.ts'

export interface Course {
  readonly verdict: Verdict
  /** Whether there was no verdict before the deadline. */
  readonly expired: boolean
  readonly asked: readonly number[]
}

/**
 * Plays a plan to its end, with events in an order that the seed decides. Replies come in any order, some twice, some
 * late, and some only after a pause. When nothing else can happen, the deadline passes. After the deadline, even voters
 * that hang reply.
 * @param says the reply of each voter; undefined for a voter that hangs.
 * @throws an error if the plan asks twice, settles twice, closes early or twice, or never ends.
 */
export function playOut(plan: Plan, says: readonly (Reply | undefined)[], seed: number): Course {
  const random = seededRandom(seed)
  const asked: number[] = []
  const answering: number[] = []
  const patient = new Set<number>()
  let verdict: Verdict | undefined
  let closed = false
  const perform = (actions: readonly Action[]) => {
    for (const action of actions) {
      if (closed) throw new Error(`the plan went on after it closed: ${action.do}`)
      if (action.do === 'close') closed = true
      else if (action.do === 'settle') {
        if (verdict !== undefined) throw new Error('the plan settled twice')
        verdict = action.verdict
      } else {
        if (asked.includes(action.voter)) throw new Error(`voter ${action.voter} was asked twice`)
        if (verdict !== undefined) throw new Error('somebody was asked after the verdict')
        asked.push(action.voter)
        patient.add(action.voter)
        if (says[action.voter] !== undefined) answering.push(action.voter)
      }
    }
  }
  const answer = () => {
    const [voter] = answering.splice(Math.floor(random() * answering.length), 1)
    const reply = says[voter as number] as Reply
    patient.delete(voter as number)
    perform(plan.reply(voter as number, reply))
    if (random() < 0.2) perform(plan.reply(voter as number, reply))
  }
  const delay = () => {
    const voter = [...patient][Math.floor(random() * patient.size)] as number
    patient.delete(voter)
    perform(random() < 0.3 ? plan.paused(voter) : plan.late(voter))
  }
  perform(plan.start())
  while (answering.length > 0 || (patient.size > 0 && verdict === undefined)) {
    if (answering.length > 0 && !(patient.size > 0 && random() < 0.2)) answer()
    else delay()
  }
  const expired = verdict === undefined
  perform(plan.expire())
  for (const voter of asked.filter((voter) => says[voter] === undefined)) {
    perform(plan.reply(voter, { kind: 'value', vote: 'too late' }))
  }
  if (verdict === undefined) throw new Error('the plan never settled')
  if (!closed) throw new Error('the plan never closed')
  if (plan.verdict !== verdict) throw new Error('the verdict changed')
  if (plan.asked !== asked.length) throw new Error('the plan miscounts whom it asked')
  return { verdict, expired, asked }
}
