import { type AmuletRules, getAmuletRules } from '../core/reads/dso.ts'
import type { Read } from '../core/reads/read.ts'
import { getMigrationId } from '../core/reads/rounds.ts'
import { agreedValue, type Reader } from '../core/scan/reader.ts'

/** What the super validators agree on about their ledger. */
export async function agreedMigration(reader: Reader): Promise<number> {
  return (await mustExist<{ readonly migration_id: number }>(reader, getMigrationId)).migration_id
}

export function agreedRules(reader: Reader): Promise<AmuletRules> {
  return mustExist(reader, getAmuletRules)
}

async function mustExist<Value>(reader: Reader, read: Read): Promise<Value> {
  const value = await agreedValue(reader, { read, params: {} })
  if (value === undefined) throw new Error(`the super validators agree that there is no ${read.id}`)
  return value as Value
}
