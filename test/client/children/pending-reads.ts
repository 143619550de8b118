/**
 * Asks the seeds in its arguments more than the rate limit permits at once. Prints how many reads were answered.
 *
 * While asks wait for the rate limit, only the library keeps the process alive. Nobody closes the library at the end,
 * because an idle library lets the process end.
 */
import { createBftScan } from '../../../src/bft-scan.ts'

async function main(): Promise<void> {
  const scanClient = {
    seedUrls: process.argv.slice(2),
    allowHttp: true,
    allowPrivate: true,
    asksPerSecond: 10,
    fanout: 'quorum' as const,
  }
  const scan = await createBftScan({ scanClient })
  const names = Array.from({ length: 14 }, (_, index) => `m${index}.cns`)
  const answers = await Promise.all(names.map((name) => scan.lookupAnsEntryByName({ name })))
  process.stdout.write(String(answers.length))
}

void main()
