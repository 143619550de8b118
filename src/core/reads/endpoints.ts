import { endpoints as ans } from './endpoints/ans.ts'
import { endpoints as dso } from './endpoints/dso.ts'
import { endpoints as governance } from './endpoints/governance.ts'
import { endpoints as rewards } from './endpoints/rewards.ts'
import { endpoints as rights } from './endpoints/rights.ts'
import { endpoints as rounds } from './endpoints/rounds.ts'
import { endpoints as snapshots } from './endpoints/snapshots.ts'
import { endpoints as tokenRegistry } from './endpoints/token-registry.ts'
import { endpoints as topology } from './endpoints/topology.ts'
import { endpoints as updates } from './endpoints/updates.ts'
import type { TypeOf } from './pattern.ts'

/** How each read is asked and answered. The client has only these; `table.ts` has what a vote needs. */
export const endpoints = {
  ...ans,
  ...dso,
  ...rounds,
  ...rights,
  ...topology,
  ...governance,
  ...snapshots,
  ...rewards,
  ...updates,
  ...tokenRegistry,
}

export type ReadId = keyof typeof endpoints

/**
 * The ids of all reads, such as `lookupAnsEntryByName`. Each id is also the name of a client's
 * method. `docs/reads.md` describes each read.
 */
export const readIds = Object.keys(endpoints) as readonly ReadId[]

/** The type of the value of a read, on which a quorum agrees. */
export type Value<Id extends ReadId> = Id extends ReadId ? TypeOf<(typeof endpoints)[Id]['reply']> : never
