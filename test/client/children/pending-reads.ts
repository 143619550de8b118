/**
 * Asks the seeds given as arguments more than they may be asked at once, waits without anything else that keeps a process
 * alive, and prints how many reads were answered. It does not close the library: an idle one lets the process end.
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
