/**
 * Asks the seeds in its arguments more than the rate limit permits at once, and prints how many reads were
 * answered. Nothing else keeps the process alive meanwhile. It does not close the library, because an idle
 * library lets the process end.
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
