import type { Reply } from '../../src/quorum/reply.ts'
import { AlikeBodies, BodyCollector } from '../../src/scan/alike-bodies.ts'
import { Ballots } from '../../src/scan/ballots.ts'
import { type Attack, attackOf, type Said } from './attack.ts'
import { canonicalText, type Meaning, meaningOf } from './reference.ts'
import { Tape } from './tape.ts'
import type { Truth } from './world.ts'

/** How many replies are compared with one another; every two of them are a pair. */
export const together = 16
export const pairs = (together * (together - 1)) / 2

/** Whether ballots compare these replies as the reference does. @throws an error that says where they do not. */
export function compareAll(truths: readonly Truth[], choices: readonly number[]): void {
  const tape = new Tape(choices)
  const attack = attackOf(truths, tape, together)
  const { read, params } = attack.truth
  const meanings = attack.said.map(({ status, bytes }) => meaningOf(read, params, status, bytes))
  const said = arrived(attack, tape)
  const ballots = new Ballots(read, params)
  const replies = said.map(({ status, bytes }, voter) => ballots.hear(voter, status, bytes).reply)
  replies.forEach((reply, nth) => {
    const meaning = meanings[nth] as Meaning
    if (reply.kind !== meaning.kind)
      throw differ(attack, nth, `counts as ${reply.kind}, and is ${meaning.kind}`)
    for (let other = 0; other < nth; other++)
      if (isOneVote(reply, replies[other] as Reply) !== isOneMeaning(meaning, meanings[other] as Meaning))
        throw differ(
          attack,
          nth,
          `has ${isOneVote(reply, replies[other] as Reply) ? 'the vote of' : 'another vote than'} ${other}`,
        )
    checkContent(ballots, attack, nth, reply, meaning)
  })
}

/** What is kept of a vote is what it means, with the status of all who gave it. */
function checkContent(ballots: Ballots, attack: Attack, nth: number, reply: Reply, meaning: Meaning): void {
  if (reply.kind !== 'value' && reply.kind !== 'refusal') return
  const content = ballots.content(reply.vote)
  if (content.status !== attack.said[nth]?.status)
    throw differ(attack, nth, `is kept with status ${content.status}`)
  if (
    canonicalText(Buffer.from(ballots.canonical(reply.vote))) !== (meaning as { canonical: string }).canonical
  )
    throw differ(attack, nth, `is kept as ${ballots.canonical(reply.vote).slice(0, 2000)}`)
}

/** The bytes as they come in chunks, several bodies at once, each compared with the others on its way. */
function arrived({ said }: Attack, tape: Tape): readonly Said[] {
  if (!tape.once(4)) return said
  const alike = new AlikeBodies()
  const coming = said.map(({ status, bytes }) => ({
    status,
    bytes,
    at: 0,
    collector: new BodyCollector(
      { maxBytes: 1 << 20, expected: tape.once(2) ? bytes.length : undefined },
      alike,
    ),
  }))
  const step = 40 + tape.below(2000)
  for (let left = true; left; ) {
    left = false
    for (const body of coming) {
      if (body.at >= body.bytes.length) continue
      const size = tape.once(4) ? 1 + tape.below(7) : step
      body.collector.add(Buffer.from(body.bytes.subarray(body.at, body.at + size)))
      body.at += size
      left = true
    }
  }
  return coming.map(({ status, bytes, collector }) => {
    const taken = collector.take()
    if (!taken.equals(bytes)) throw new Error(`a body became another on its way: ${bytes.toString('latin1')}`)
    return { status, bytes: taken }
  })
}

function isOneVote(a: Reply, b: Reply): boolean {
  const counts = a.kind === 'value' || a.kind === 'refusal'
  return counts && a.kind === b.kind && a.vote === b.vote
}

function isOneMeaning(a: Meaning, b: Meaning): boolean {
  return 'canonical' in a && a.kind === b.kind && 'canonical' in b && a.canonical === b.canonical
}

function differ({ truth, said }: Attack, nth: number, what: string): Error {
  const texts = said.map(
    ({ status, bytes }, index) => `${index}: ${status} ${bytes.toString('latin1').slice(0, 3000)}`,
  )
  return new Error(`${truth.read.id}: reply ${nth} ${what}\n${texts.join('\n')}`)
}
