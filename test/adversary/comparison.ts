import type { Reply } from '../../src/core/quorum/reply.ts'
import { Ballots, type RefusalStatement } from '../../src/core/scan/ballots.ts'
import { type Attack, attackOf, type Said } from './attack.ts'
import { type Meaning, meaningOf } from './reference.ts'
import { Tape } from './tape.ts'
import type { Truth } from './world.ts'

const repliesToOneQuestion = 16

/**
 * Checks that `Ballots` compares replies as the independent code in `reference.ts` does.
 * @throws an error that describes the first difference.
 */
export function compareAll(truths: readonly Truth[], choices: readonly number[]): void {
  const attack = attackOf(truths, new Tape(choices), repliesToOneQuestion)
  const { read, params } = attack.truth
  const { said } = attack
  const meanings = said.map(({ status, bytes }) => meaningOf(read, params, status, bytes))
  const ballots = new Ballots({ read, params })
  const replies = said.map(({ status, bytes }, voter) => replyOf(ballots, voter, status, bytes))
  const reversed = new Ballots({ read, params })
  const again = said.map((_, nth) => said.length - 1 - nth)
  const turned: Reply[] = []
  for (const nth of again)
    turned[nth] = replyOf(reversed, nth, (said[nth] as Said).status, (said[nth] as Said).bytes)
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
    // Replies with one vote are served alike, so only the first of them is checked.
    if (replies.findIndex((other) => isOneVote(other, reply)) === nth)
      checkPrinted(attack, nth, printedOf(ballots, reply), printedOf(reversed, turned[nth] as Reply))
  })
}

function replyOf(ballots: Ballots, voter: number, status: number, bytes: Buffer): Reply {
  const heard = ballots.hear(voter, status, bytes)
  if (heard instanceof Promise) throw new Error('only bodies that this thread judges are compared here')
  return heard.reply
}

function printedOf(ballots: Ballots, reply: Reply): Said | undefined {
  if (reply.kind === 'refusal') {
    const { status, text } = ballots.statement(reply.vote) as RefusalStatement
    return { status, bytes: Buffer.from(JSON.stringify({ error: text })) }
  }
  if (reply.kind !== 'value') return undefined
  const made = ballots.print(reply.vote, { on: 'whole' })
  if (made instanceof Promise) throw new Error('only bodies that this thread judges are compared here')
  return { status: 200, bytes: made.body }
}

/** Checks that the served body means what the reply said, and that it does not depend on the order of the replies. */
function checkPrinted(
  attack: Attack,
  nth: number,
  printed: Said | undefined,
  turned: Said | undefined,
): void {
  if (printed === undefined) return
  const { read, params } = attack.truth
  const { status, bytes } = attack.said[nth] as Said
  if (printed.status !== turned?.status || !printed.bytes.equals(turned.bytes))
    throw differ(attack, nth, `is served as ${printed.bytes} or as ${turned?.bytes}`)
  const served = meaningOf(read, params, printed.status, printed.bytes)
  if (printed.status !== status || !isOneMeaning(served, meaningOf(read, params, status, bytes)))
    throw differ(attack, nth, `is served as ${printed.status} ${printed.bytes.toString().slice(0, 2000)}`)
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
