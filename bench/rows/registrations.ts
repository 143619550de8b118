import { rmSync } from 'node:fs'
import { Child } from '../child.ts'
import type { Files, Round } from '../children/registrar.ts'
import { scratchFile } from '../ledger-data.ts'
import type { Bench, Outcome } from '../row.ts'
import { alternate, median } from '../statistics.ts'

const perRound = 300
/** The maximum number of rounds. A round writes twenty megabytes, and a larger file is slower. */
const mostRounds = 20

/**
 * Compares two rates on one core: of whole registrations, and of bare durable transactions. There are as many bare
 * transactions as the registrations have, and of the same sizes.
 */
export async function registrationsAgainstBareTransactions(bench: Bench): Promise<Outcome> {
  const files: Files = { ledger: scratchFile('registrations.db'), bare: scratchFile('bare.db') }
  await using child = await Child.start('registrar', bench.cores?.measured, files)
  const register = async () => {
    await child.call('prepare', perRound)
    return perSecond(await child.call<Round>('register'))
  }
  const bare = async () => perSecond(await child.call<Round>('writeBare', perRound))
  for (let round = 0; round < 3; round++) await register()
  await bare()
  const rounds = await alternate(Math.min(bench.rounds, mostRounds), register, bare)
  await child[Symbol.asyncDispose]()
  for (const file of Object.values(files))
    for (const suffix of ['', '-wal']) rmSync(file + suffix, { force: true })
  return {
    kind: 'measured',
    figure: median(rounds.map(({ a, b }) => a / b)),
    detail: {
      registrationsPerSecond: median(rounds.map(({ a }) => a)),
      bareRegistrationsPerSecond: median(rounds.map(({ b }) => b)),
    },
  }
}

function perSecond({ registrations, seconds }: Round): number {
  return registrations / seconds
}
