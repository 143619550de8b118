import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { FloorTable } from '../../src/core/guard/floors.ts'
import { RollbackGuard } from '../../src/core/guard/rollback-guard.ts'
import { lookupAnsEntryByName } from '../../src/core/reads/ans.ts'
import type { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import { eventually } from '../support/eventually.ts'
import { wireReads } from '../support/wired-reads.ts'

const name = 'alice.unverified.cns'
const question = { read: lookupAnsEntryByName, params: { name } }

/** The content of an entry, whose body is too long for the serving thread to judge. */
interface Said {
  readonly version: number
  readonly spaced: boolean
}

function bodyOf({ version, spaced }: Said): Buffer {
  const expires_at = new Date(Date.UTC(2027, 0, 1 + version)).toISOString()
  const entry = { contract_id: `00${version}`, user: 'alice::1220ab', name, url: '', expires_at }
  const long = { entry: { ...entry, description: 'x'.repeat(70_000) } }
  return Buffer.from(JSON.stringify(long, null, spaced ? 1 : 0))
}

class Bodies {
  readonly #releases = new Map<Buffer, number>()
  /** The jobs that got a body whose bytes were released already. */
  readonly unaccounted: string[] = []

  respond(body: Buffer): ScanResponse {
    this.#releases.set(body, 0)
    const release = () => void this.#releases.set(body, (this.#releases.get(body) ?? 0) + 1)
    return { kind: 'response', status: 200, body, release }
  }

  get releases(): readonly number[] {
    return [...this.#releases.values()]
  }

  watch(judge: JudgeThread): void {
    for (const job of ['judge', 'compare', 'print'] as const) {
      const work = judge[job].bind(judge) as (...args: unknown[]) => Promise<unknown>
      vi.spyOn(judge, job).mockImplementation((async (...args: readonly unknown[]) => {
        const bodies = [args[1]].flat() as Buffer[]
        const isGone = () => bodies.some((body) => this.#releases.get(body) !== 0)
        if (isGone()) this.unaccounted.push(`${job}, from the start`)
        const made = await work(...args)
        if (isGone()) this.unaccounted.push(job)
        return made
      }) as never)
    }
  }
}

const actions = ['answer', 'examine', 'agreedNow', 'liveAnswer'] as const

test('the bytes of bodies are counted until nothing is computed from them, and given back once', async () => {
  const said = fc.record({ version: fc.constantFrom(0, 0, 0, 1, 2), spaced: fc.boolean() })
  const round = fc.array(said, { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...actions), round), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('all', 'economical'),
      async (rounds, fanout) => {
        const bodies = new Bodies()
        let says = rounds[0]?.[1] ?? []
        const names = says.map((_, at) => `sv-${at}`)
        const wired = wireReads({
          names,
          rule: 'f+1',
          fanout,
          seed: 1,
          guard: (clock) =>
            new RollbackGuard({ network: 'remote' }, { floors: FloorTable.inMemory({ clock }), clock }),
          ask: async (asked) => bodies.respond(bodyOf(says[names.indexOf(asked)] as Said)),
        })
        await using judge = wired.judge
        bodies.watch(judge)
        const { signal } = new AbortController()
        for (const [action, saying] of rounds) {
          says = saying
          const done = {
            answer: () => wired.answer(question.read, question.params),
            examine: () => wired.examiner.examine(question, { everyone: true }),
            agreedNow: () => wired.again.agreedNow(question, signal),
            liveAnswer: () => wired.reader.liveAnswer(question, signal),
          }[action]()
          await Promise.allSettled([done])
        }
        const isIdle = () => bodies.releases.every((count) => count === 1)
        await eventually(isIdle)
        for (let second = 0; second < 60; second++) {
          wired.clock.advance(1_000)
          await eventually(isIdle)
        }
        expect(bodies.unaccounted).toEqual([])
      },
    ),
    { numRuns: 6 },
  )
}, 60_000)
