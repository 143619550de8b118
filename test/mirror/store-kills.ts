import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Random, seededRandom } from '../../src/lib/random.ts'
import { ordered } from './contents.ts'
import { loadFrom, mirrorFolder } from './mirror-folder.ts'
import type { Said } from './store-child.ts'
import { StoreProcess } from './store-process.ts'
import { contentAfter } from './write-sequence.ts'

export interface KillReport {
  duringWrites: number
  /** The number of interrupted writes that reached the file nevertheless. */
  finished: number
  readonly problems: string[]
}

/**
 * The approximate duration of a write, in milliseconds. A kill comes at a random moment of this duration, so that kills
 * hit every part of a write.
 */
const writeMs = 6
const mostWrites = 12

export async function killStores(kills: number, seed: number): Promise<KillReport> {
  await using folder = await mirrorFolder()
  const random = seededRandom(seed)
  const report: KillReport = { duringWrites: 0, finished: 0, problems: [] }
  let writes = 0
  for (let kill = 0; kill < kills && report.problems.length === 0; kill++) {
    const last = writes + 1 + Math.floor(random() * mostWrites)
    const said = await killedAt({ file: folder.file, from: writes + 1, last, delayMs: random() * writeMs })
    writes = await audit(folder.file, said, { report, before: writes })
  }
  return report
}

/**
 * Kills a process while it writes the content of the file into the same file. The file belongs to the network `remote`.
 * @returns false if the file has no content.
 */
export async function killWriting(file: string, random: Random): Promise<boolean> {
  await using child = new StoreProcess({ file, network: 'remote' })
  child.send({ do: 'rewrite' })
  const last = 1 + Math.floor(random() * 5)
  for (let said = await child.next(); said !== undefined; said = await child.next()) {
    if ('done' in said) return false
    if (!('begun' in said) || said.begun !== last) continue
    await setTimeout(random() * writeMs)
    child.kill()
  }
  return true
}

interface Kill {
  readonly file: string
  readonly from: number
  /** The number of the write during which the process is killed, `delayMs` after its beginning. */
  readonly last: number
  readonly delayMs: number
}

async function killedAt({ file, from, last, delayMs }: Kill): Promise<readonly Said[]> {
  await using child = new StoreProcess({ file })
  child.send({ do: 'write', from, upTo: last + 1_000 })
  for (;;) {
    const said = await child.next()
    if (said === undefined) return child.said
    if (!('begun' in said) || said.begun !== last) continue
    await setTimeout(delayMs)
    child.kill()
  }
}

interface Audit {
  readonly report: KillReport
  /** The number of writes in the file before the process started. */
  readonly before: number
}

/**
 * Returns how many writes the file contains: all acknowledged writes, and perhaps the write that the kill interrupted.
 */
export async function audit(file: string, said: readonly Said[], { report, before }: Audit): Promise<number> {
  const acknowledged = said.reduce((most, each) => ('written' in each ? each.written : most), before)
  const begun = said.reduce((most, each) => ('begun' in each ? each.begun : most), before)
  const content = ordered(await loadFrom(file))
  const has = [acknowledged, begun].find((writes) => isDeepStrictEqual(content, ordered(latest(writes))))
  if (begun > acknowledged) report.duringWrites++
  if (begun > acknowledged && has === begun) report.finished++
  if (has !== undefined) return has
  report.problems.push(
    `after ${acknowledged} writes of ${begun} the file has generation ${content?.generation}`,
  )
  return acknowledged
}

/**
 * Returns the content after this many writes. A file has only the last entry of each name in its overlay, so earlier
 * entries are left out.
 */
function latest(writes: number): ReturnType<typeof contentAfter> {
  const content = contentAfter(writes)
  if (content === undefined) return undefined
  const overlay = [...new Map(content.overlay.map((each) => [each.entry.name, each])).values()]
  return { ...content, overlay }
}
