import { hash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AnsEntry } from '../src/ledger/daml/splice/ans.ts'
import { timeOf } from '../src/ledger/daml/time.ts'
import { openTables } from '../src/ledger/embedded/database.ts'
import type { LogTail } from '../src/ledger/embedded/tables.ts'
import { Writer } from '../src/ledger/embedded/writer.ts'
import { contractIdOf, updateIdOf } from '../src/ledger/identifiers.ts'
import { type Update, withBlob } from '../src/ledger/update.ts'
import { sha256Hex } from '../src/lib/digest.ts'

const cache = new URL('../node_modules/.cache/bft-scan-proxy/', import.meta.url)
/** The version of the files with test data. Increase it when the code begins to write other data. */
const version = 7
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
  const identity = { synchronizerId: `global-domain::${namespace}`, namespace }
  using tables = openTables({ file, identity }, () => {})
  const writer = new Writer(tables, () => {})
  writer.commit(() => writer.allocate('dso', 'DSO', start))
  for (let first = 0; first < entries; first += writesAtOnce) {
    const last = Math.min(first + writesAtOnce, entries)
    tables.db.exec('BEGIN')
    for (let index = first; index < last; index++) {
      const tail = tables.tail()
      tables.append(
        entryAt(tail, index),
        tail.nextNode,
        hash('sha256', `entry-${index}`, 'buffer').subarray(0, 16),
      )
    }
    tables.db.exec('COMMIT')
  }
}

/** Nobody checks who may create the entry. Otherwise a million users would have to be allocated first. */
function entryAt(tail: LogTail, index: number): Update {
  const offset = tail.offset + 1
  const now = start + (index + 1) * 1_000_000
  const seed = sha256Hex(`entry-${index}`)
  const signatories = [dso, partyOf(index)]
  const contract = withBlob({
    contractId: contractIdOf(seed, tail.nextNode),
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
    observers: [],
    createdAt: now,
  })
  return {
    kind: 'transaction',
    offset,
    updateId: updateIdOf(offset, seed),
    synchronizerId: `global-domain::${namespace}`,
    recordTime: now,
    effectiveAt: now,
    commandId: `entry-${index}`,
    userId: 'bench',
    actAs: [dso],
    nodes: [{ kind: 'create', nodeId: 0, contract, witnesses: signatories }],
  }
}
