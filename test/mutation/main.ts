import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Mutant } from './instrument.ts'
import { Journal } from './journal.ts'
import { filesOf, type Order, planOf, tests, writePlan } from './plan.ts'
import { diesAlone, runShard } from './shard.ts'

const root = join(import.meta.dirname, '../..')
process.chdir(root)
const { values: options } = parseArgs({
  options: {
    /** Selects mutants in files whose path contains one of these texts. */
    in: { type: 'string', multiple: true, default: [''] },
    shards: { type: 'string', default: '2' },
  },
})
const shards = Number(options.shards)
const started = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'mutants-'))
const plan = planOf(root)
writePlan(folder, plan)
const chosen = [...plan.mutants.keys()]
  .filter((at) => options.in.some((text) => plan.mutants[at]?.file.includes(text)))
  .map((at) => at + 1)
say(`${chosen.length} of ${plan.mutants.length} mutants`)

await Promise.all(
  Array.from({ length: shards }, async (_, shard) => {
    await runShard({ folder, pass: 'quick', shard, shards, chosen })
    await runShard({ folder, pass: 'thorough', shard, shards, chosen })
  }),
)
const { broken, unheard } = troublesOfTests()
await tryAlone()
const results = resultsOf()
report()
rmSync(folder, { recursive: true })

/** Returns the tests that failed without a mutant, and the test files of which some process ran no test. */
function troublesOfTests() {
  const all = journals().map((journal) => journal.read())
  const unheard = all.flatMap((entries) => {
    const heard = new Set(entries.flatMap((entry) => (entry.is === 'covers' ? [entry.file] : [])))
    return filesOf(tests, root).filter((file) => !heard.has(file))
  })
  const broken = all.flat().flatMap((entry) => (entry.is === 'broken' ? [`${entry.test}: ${entry.why}`] : []))
  return { broken, unheard: [...new Set(unheard)] }
}

/**
 * Runs each surviving mutant that is reached before any test runs, for example while a module is loaded. In the process
 * of a mutant, the mutant is active from the start.
 */
async function tryAlone(): Promise<void> {
  const entries = journals().flatMap((journal) => journal.read())
  const loaded = new Set(entries.flatMap((entry) => (entry.is === 'loaded' ? entry.sites : [])))
  const ended = new Set(
    entries.flatMap((entry) => (entry.is === 'killed' || entry.is === 'late' ? [entry.mutant] : [])),
  )
  const left = chosen.filter(
    (mutant) => !ended.has(mutant) && loaded.has(plan.mutants[mutant - 1]?.site ?? 0),
  )
  say(`${left.length} that are there before any test runs`)
  await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      for (let mutant = left.pop(); mutant !== undefined; mutant = left.pop()) {
        const order: Order = { folder, pass: 'alone', shard, shards, chosen: [mutant] }
        const [near, far] = testsOf(mutant)
        if (!(await diesAlone(order, near)) && !(await diesAlone(order, far))) continue
        new Journal(folder, shard).add({ is: 'killed', mutant, test: 'all' })
      }
    }),
  )
}

function testsOf(mutant: number): readonly [near: readonly string[], far: readonly string[]] {
  const { file } = mutantOf(mutant)
  const sites = new Set(plan.mutants.filter((other) => other.file === file).map(({ site }) => site))
  const near = new Set(
    journals()
      .flatMap((journal) => journal.read())
      .flatMap((entry) =>
        entry.is === 'covers' && entry.sites.some((site) => sites.has(site)) ? [entry.file] : [],
      ),
  )
  return [[...near], filesOf(tests, root).filter((other) => !near.has(other))]
}

function mutantOf(number: number): Mutant {
  const mutant = plan.mutants[number - 1]
  if (mutant === undefined) throw new Error(`no mutant ${number}`)
  return mutant
}

function journals(): readonly Journal[] {
  return Array.from({ length: shards }, (_, shard) => new Journal(folder, shard))
}

interface Result {
  readonly mutant: Mutant
  /** `late`: a test did not end within its limits. `unreached`: no test reaches the mutant's site. */
  readonly end: 'killed' | 'late' | 'survived' | 'unreached'
}

function resultsOf(): readonly Result[] {
  const ends = new Map<number, Result['end']>()
  const reached = new Set<number>()
  for (const entry of journals().flatMap((journal) => journal.read())) {
    if (entry.is === 'killed' || entry.is === 'late') ends.set(entry.mutant, entry.is)
    if (entry.is === 'covers' || entry.is === 'loaded') for (const site of entry.sites) reached.add(site)
  }
  return chosen.map((number) => {
    const mutant = mutantOf(number)
    return { mutant, end: ends.get(number) ?? (reached.has(mutant.site) ? 'survived' : 'unreached') }
  })
}

function report(): void {
  const minutes = ((performance.now() - started) / 60_000).toFixed(1)
  const killed = results.filter(({ end }) => isDead(end)).length
  const share = killed / Math.max(1, results.length)
  for (const { mutant, end } of results) if (!isDead(end)) say(`${end}: ${textOf(mutant)}`)
  for (const line of broken) say(line)
  for (const file of unheard) say(`no test of ${file} was run`)
  say(`${results.length} mutants, ${killed} killed (${(100 * share).toFixed(1)} %), ${minutes} minutes`)
  const isTooFew = options.in.includes('') && share < 0.95
  if (isTooFew) say('fewer than 95 % of the mutants are killed')
  process.exitCode = isTooFew || broken.length + unheard.length > 0 ? 1 : 0
}

function isDead(end: Result['end']): boolean {
  return end === 'killed' || end === 'late'
}

function textOf({ file, within, from, to, nth }: Mutant): string {
  return JSON.stringify({ file, within, from, to, ...(nth === 1 ? {} : { nth }) })
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
