import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import { type Random, seededRandom } from '../../src/lib/random.ts'
import { contentOf, namesIn } from './contents.ts'
import { loadFrom, mirrorFolder } from './mirror-folder.ts'
import { StoreProcess } from './store-process.ts'

/**
 * The approximate duration of a write, in milliseconds. A kill comes at a random moment of this duration, so that kills
 * hit every part of a write.
 */
const writeMs = 6
const mostWrites = 4

/**
 * Kills processes while they write. After each kill, the file must have the last content that was acknowledged, or the
 * one that was being written.
 * @returns how many of the interrupted contents are in the file.
 */
export async function killStores(kills: number, seed: number): Promise<number> {
  await using folder = await mirrorFolder()
  const random = seededRandom(seed)
  let finished = 0
  let last = 0
  for (let kill = 0; kill < kills; kill++) {
    const { acknowledged, begun } = await killedAt(folder.file, last, random)
    const content = loadFrom(folder.file)
    last = content?.generation ?? 0
    expect([acknowledged, begun], `SEED=${seed}`).toContain(last)
    if (last > 0) expect(content).toEqual(contentOf(namesIn(last), last))
    if (last > acknowledged) finished++
  }
  return finished
}

async function killedAt(file: string, before: number, random: Random) {
  await using child = new StoreProcess({ file })
  const last = before + 1 + Math.floor(random() * mostWrites)
  let [acknowledged, begun] = [before, before]
  child.send({ do: 'write on', from: before + 1 })
  for (let said = await child.next(); said !== undefined; said = await child.next()) {
    if ('written' in said) acknowledged = said.written
    if (!('begun' in said)) continue
    begun = said.begun
    if (begun !== last) continue
    await setTimeout(random() * writeMs)
    child.kill()
  }
  return { acknowledged, begun }
}
