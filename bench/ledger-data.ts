import { hash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AnsEntry } from '../src/registry/ledger/daml/splice/ans.ts'
import { timeOf } from '../src/registry/ledger/daml/time.ts'
import { openTables } from '../src/registry/ledger/embedded/database.ts'
import type { Content } from '../src/registry/ledger/embedded/tables.ts'
import { withBlob } from '../src/registry/ledger/update.ts'

const cache = new URL('../node_modules/.cache/bft-scan-proxy/', import.meta.url)
/** The version of the files with test data. Increase it when the code begins to write other data. */
const version = 8
const writesAtOnce = 2_000
const namespace = `1220${'a'.repeat(64)}`
const dso = `DSO::${namespace}`
const start = Date.UTC(2026, 0, 1) * 1_000
const expiresAt = timeOf(Date.UTC(2027, 0, 1) * 1_000)

/** Returns a path for a file of one run of a benchmark. Deletes the file of an earlier run. */
function scratchFile(name: string): string {
  mkdirSync(cache, { recursive: true })
  const file = fileURLToPath(new URL(name, cache))
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true })
  return file
}

/**
 * Returns the name of an entry in the test data: 16 hexadecimal digits before `.unverified.cns`. The names are not in
 * the order of the indexes, so that entries which are written one after the other have very different names.
 */
export function nameOf(index: number): string {
  const scattered = (BigInt(index) * 0x9e3779b97f4a7c15n) & 0xffffffffffffffffn
  return `${scattered.toString(16).padStart(16, '0')}.unverified.cns`
}

export function partyOf(index: number): string {
  return `owner-${index}::${namespace}`
}

/**
 * Returns the file of a ledger with this many entries, each of a different party. If the file does not exist, the
 * ledger's own code writes it.
 */
export function ledgerOf(entries: number): string {
  mkdirSync(cache, { recursive: true })
  const file = fileURLToPath(new URL(`ledger-${version}-${entries}.db`, cache))
  if (existsSync(file)) return file
  const unfinished = scratchFile(`unfinished-${entries}.db`)
  make(unfinished, entries)
  renameSync(unfinished, file)
  return file
}

function make(file: string, entries: number): void {
  using tables = openTables(file, () => {})
  for (let first = 0; first < entries; first += writesAtOnce) {
    const last = Math.min(first + writesAtOnce, entries)
    tables.db.exec('BEGIN')
    for (let index = first; index < last; index++)
      tables.append(index + 1, entryAt(tables.contractIdAt(index + 1, 0), index), keyOf(index))
    tables.db.exec('COMMIT')
  }
}

function keyOf(index: number): Uint8Array {
  return hash('sha256', `entry-${index}`, 'buffer').subarray(0, 16)
}

/** Nobody checks who may create the entry. Otherwise a million users would have to be allocated first. */
function entryAt(contractId: string, index: number): Content {
  const now = start + (index + 1) * 1_000_000
  const signatories = [dso, partyOf(index)]
  const contract = withBlob({
    contractId,
    templateId: AnsEntry.templateId,
    packageName: AnsEntry.package.name,
    argument: {
      user: partyOf(index),
      dso,
      name: nameOf(index),
      url: 'https://name.example',
      description: '',
      expiresAt,
    },
    signatories,
    createdAt: now,
  })
  return {
    kind: 'transaction',
    recordTime: now,
    effectiveAt: now,
    commandId: `entry-${index}`,
    userId: 'bench',
    actAs: [dso],
    nodes: [{ kind: 'create', nodeId: 0, contract, witnesses: signatories }],
  }
}
