import { describe, expect, test } from 'vitest'
import { statedIn } from '../../src/observations/observed-contracts.ts'
import { StatementsThread } from '../../src/observations/statements-thread.ts'
import type { Question } from '../../src/reads/read.ts'
import { reads } from '../../src/reads/table.ts'
import { valueIn } from '../../src/scan/judgement.ts'
import { samples } from '../reads/samples.ts'
import { eventually } from '../support/eventually.ts'
import { neighbours, type Owner, observations, startHearing } from './neighbours.ts'

const question: Question = { read: reads.getDsoInfo, params: {} }

/** Returns a sample reply about the DSO, lengthened with white space at its end. */
function replyOf(length: number): Buffer {
  const { dso_rules: rules, ...reply } = samples.getDsoInfo.reply
  const { contract } = rules
  const named = { ...contract, template_id: 'aa:Splice.DsoRules:DsoRules' }
  const text = JSON.stringify({ ...reply, dso_rules: { ...rules, contract: named } })
  return Buffer.from(text.padEnd(length))
}

describe('a reply about the DSO that is longer than 64 KiB', () => {
  test('is observed as the same reply without white space, up to the bound of its read', async () => {
    await using there = await neighbours('acme', 'bravo')
    const [acme, bravo] = there.owners as [Owner, Owner]
    await using one = await startHearing(there, acme)
    await using other = await startHearing(there, bravo)
    for (const { name } of there.localnet.superValidators)
      await there.localnet.setFault(name, { kind: 'huge', bytes: 4 * 1024 * 1024 })
    const before = observations(await one.report('/status'))
    expect((await one.get('/v0/scan-proxy/dso')).status).toBe(200)
    await eventually(async () => observations(await one.report('/status')) > before)
    for (const { name } of there.localnet.superValidators) await there.localnet.setFault(name, undefined)
    await other.get('/v0/scan-proxy/dso')
    const epoch = Math.floor(one.clock.wall() / 600_000)
    await there.endEpoch(one, other)
    const rosters = async ({ get }: typeof one) => {
      const { observations: lines } = JSON.parse((await get(`/observations/${epoch}`)).text) as {
        readonly observations: readonly string[]
      }
      const said = lines.map((line) => JSON.parse(line) as { subject: string; digest: string })
      const found = said.filter(({ subject }) => subject.startsWith('roster '))
      return new Set(found.map(({ subject, digest }) => `${subject} ${digest}`))
    }
    const [long, short] = [await rosters(one), await rosters(other)]
    expect(long.size).toBe(1)
    expect(long).toEqual(short)
  })

  test('states on the thread what it would state here', async () => {
    await using thread = new StatementsThread('rules')
    const reply = replyOf(4 * 1024 * 1024)
    const stated = await thread.stated(question, reply)
    expect(stated).toEqual(statedIn(valueIn(question, reply), 'rules'))
    expect(stated.length).toBeGreaterThan(0)
  })
})

describe('the thread for long replies', () => {
  test('takes a copy of a reply, whose buffer the daemon uses again', async () => {
    await using thread = new StatementsThread('rules')
    const reply = replyOf(70_000)
    const expected = statedIn(valueIn(question, reply), 'rules')
    const stated = thread.stated(question, reply)
    reply.fill(0)
    expect(await stated).toEqual(expected)
  })

  test('leaves out replies beyond 64 MiB that wait, and takes the next one when there is room', async () => {
    await using thread = new StatementsThread('rules')
    const reply = replyOf(4 * 1024 * 1024)
    const all = await Promise.all(Array.from({ length: 20 }, () => thread.stated(question, reply)))
    // The thread reads the first reply and keeps 16 more waiting. It drops the last three.
    expect(all.map((stated) => stated.length > 0)).toEqual([
      ...new Array<boolean>(17).fill(true),
      ...new Array<boolean>(3).fill(false),
    ])
    expect(await thread.stated(question, reply)).not.toEqual([])
  })

  test('that fails to read a reply states nothing of it, reports the failure, and reads the next one', async () => {
    const failures: unknown[] = []
    await using thread = new StatementsThread('rules', { failed: (why) => failures.push(why) })
    expect(await thread.stated(question, Buffer.from('no JSON'))).toEqual([])
    expect(failures).toEqual([expect.any(Error)])
    expect(await thread.stated(question, replyOf(0))).not.toEqual([])
  })

  test('that is closed states nothing', async () => {
    const thread = new StatementsThread('rules')
    const waiting = [1, 2].map(() => thread.stated(question, replyOf(0)))
    await thread[Symbol.asyncDispose]()
    expect(await Promise.all([...waiting, thread.stated(question, replyOf(0))])).toEqual([[], [], []])
  })
})
