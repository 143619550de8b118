import { parseArgs } from 'node:util'
import { findCores, moveTo } from './cores.ts'
import { type Bench, isMet, type Outcome, type Row } from './row.ts'
import { rows } from './rows.ts'

const usage = `Usage: npm run bench -- [--json] [--short] [--only ID,...]

Measures speed; exit code 1 where a figure misses its limit. bench/README.md tells what each row is.

  --json   print JSON
  --short  few and short rounds: for a look, not for a verdict
  --only   rows to measure: ${rows.map(({ id }) => id).join(', ')}`

/** A row with the outcome of its measurement. */
interface Result {
  readonly row: Row
  readonly outcome: Outcome
  readonly met: boolean
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else process.exitCode = await run(values)

async function run({ json, short, only }: { json: boolean; short: boolean; only?: string }): Promise<number> {
  const cores = findCores()
  if (cores !== undefined) moveTo(cores.rest)
  else if (!json)
    console.log('No taskset or no second core: nothing is bound to a core, so figures vary more.')
  const bench: Bench = {
    cores,
    ...(short ? { rounds: 8, roundMs: 250, warmUpMs: 2000 } : { rounds: 40, roundMs: 250, warmUpMs: 12_000 }),
  }
  const results: Result[] = []
  for (const row of chosen(only)) {
    const outcome = await row.measure(bench)
    const result = { row, outcome, met: outcome.kind === 'skipped' || isMet(row, outcome.figure) }
    results.push(result)
    if (!json) console.log(asText(result))
  }
  if (json) console.log(JSON.stringify({ node: process.version, results: results.map(asJson) }, null, 2))
  return results.every(({ met }) => met) ? 0 : 1
}

function chosen(only: string | undefined): readonly Row[] {
  if (only === undefined) return rows
  return only.split(',').map((id) => {
    const row = rows.find((known) => known.id === id)
    if (row === undefined) throw new Error(`there is no row ${id}\n\n${usage}`)
    return row
  })
}

function asText({ row, outcome, met }: Result): string {
  const head = `${row.id}: ${row.what}`
  if (outcome.kind === 'skipped') return `skipped  ${head}\n         ${outcome.why}`
  const details = Object.entries(outcome.detail).map(([name, value]) => `${name} ${rounded(value)}`)
  const [verdict, limit] =
    row.limit === undefined ? ['figure  ', ''] : [met ? 'met     ' : 'MISSED  ', ` (${limitOf(row.limit)})`]
  return `${verdict} ${head}\n         ${rounded(outcome.figure)}${limit}; ${details.join(', ')}`
}

function asJson({ row, outcome, met }: Result) {
  const { id, what, limit } = row
  return { id, what, ...limit, met, ...outcome }
}

function limitOf(limit: NonNullable<Row['limit']>): string {
  return 'atLeast' in limit ? `at least ${limit.atLeast}` : `at most ${limit.atMost}`
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000
}
